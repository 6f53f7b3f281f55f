/* Growing arrays and lists of lines. */
#include "base/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_what_was_there_stays(void **state)
{
	size_t capacity = 0, moves = 0;
	uint32_t *items = NULL;

	(void)state;
	for (uint32_t i = 0; i < 10000; i++) {
		size_t before = capacity;

		items = array_grow(items, &capacity, i + 1, sizeof(*items));
		assert_non_null(items);
		assert_true(capacity > i);
		moves += capacity != before;
		items[i] = i * 7;
	}
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(items[i], i * 7);
	assert_true(moves < 30); /* by half each time: not once for every item */
	free(items);
}

static void test_room_that_is_there_is_kept(void **state)
{
	size_t capacity = 0, before;
	char *items = array_grow(NULL, &capacity, 100, 1);

	(void)state;
	assert_in_range(capacity, 100, 200);
	before = capacity;
	assert_ptr_equal(array_grow(items, &capacity, before, 1), items);
	assert_ptr_equal(array_grow(items, &capacity, 0, 1), items);
	assert_int_equal(capacity, before);
	free(items);
}

/* Counts come from files. */
static void test_too_many_are_refused(void **state)
{
	size_t capacity = 0;
	char *items = array_grow(NULL, &capacity, 4, 16);
	size_t before = capacity;

	(void)state;
	items[0] = 'x';
	assert_null(array_grow(items, &capacity, SIZE_MAX / 16 + 1, 16));
	assert_null(array_grow(items, &capacity, SIZE_MAX, 16));
	assert_int_equal(capacity, before);
	assert_int_equal(items[0], 'x');
	free(items);
}

static void test_lines(void **state)
{
	char **lines = NULL;
	size_t count = 0;

	(void)state;
	for (int i = 0; i < 20; i++)
		assert_true(lines_add(&lines, &count, "line %d of %s", i, "all"));
	assert_int_equal(count, 20);
	assert_string_equal(lines[0], "line 0 of all");
	assert_string_equal(lines[19], "line 19 of all");
	lines_free(lines, count);
	lines_free(NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_there_stays),
		cmocka_unit_test(test_room_that_is_there_is_kept),
		cmocka_unit_test(test_too_many_are_refused),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
