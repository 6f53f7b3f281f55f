/* Statuses, the line that says why, and lists of such lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/status.h"

static void test_exit_codes_and_texts(void **state)
{
	(void)state;
	assert_int_equal(status_exit_code(KYMO_OK), 0);
	assert_int_equal(status_exit_code(KYMO_USAGE), 2);
	assert_int_equal(status_exit_code(KYMO_FORMAT), 1);
	assert_int_equal(status_exit_code((enum kymo_status) - 99), 1);
	assert_string_equal(status_text(KYMO_MEMORY), "out of memory");
	assert_string_equal(status_text((enum kymo_status) - 99), "unknown status");
}

static void test_problem_is_one_line(void **state)
{
	struct problem problem;

	(void)state;
	assert_int_equal(problem_set(&problem, KYMO_SYSTEM, "no '%s'", "a\nb\rc"), KYMO_SYSTEM);
	assert_string_equal(problem.text, "no 'a b c'");
	assert_int_equal(problem_set(NULL, KYMO_ERROR, "unheard"), KYMO_ERROR);
}

static void test_problem_is_cut(void **state)
{
	struct problem problem;
	char path[2000];

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	problem_set(&problem, KYMO_SYSTEM, "%s", path);
	assert_int_equal(strlen(problem.text), sizeof(problem.text) - 1);
}

static void test_lines(void **state)
{
	char **lines = NULL;
	size_t count = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_true(lines_add(&lines, &count, "line %d", i));
	assert_int_equal(count, 100);
	assert_string_equal(lines[0], "line 0");
	assert_string_equal(lines[99], "line 99");
	lines_free(lines, count);
	lines_free(NULL, 0);
}

static void test_array_grows(void **state)
{
	size_t capacity = 0;
	uint32_t *items = NULL;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		items = array_grow(items, &capacity, i + 1, sizeof(*items));
		assert_non_null(items);
		assert_true(capacity > i);
		items[i] = i;
	}
	assert_ptr_equal(array_grow(items, &capacity, 1, sizeof(*items)), items);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	assert_null(array_grow(items, &capacity, SIZE_MAX / 2, sizeof(*items)));
	assert_int_equal(items[999], 999);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_codes_and_texts),
		cmocka_unit_test(test_problem_is_one_line),
		cmocka_unit_test(test_problem_is_cut),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_array_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
