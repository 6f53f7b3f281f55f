/* Binary search: the same as looking at all, and in few steps. */
#include "base/partitionpoint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ITEMS 40

static void test_every_point(void **state)
{
	(void)state;
	for (size_t count = 0; count <= ITEMS; count++)
		for (size_t point = 0; point <= count; point++)
			assert_int_equal(partition_point(count, i, i < point), point);
}

static void test_within(void **state)
{
	(void)state;
	for (size_t first = 0; first <= ITEMS; first++)
		for (size_t point = first; point <= ITEMS; point++)
			assert_int_equal(partition_point_within(first, ITEMS, i, i < point), point);
}

/* Of equal items the point is in front of all, or behind all. */
static void test_equal_items(void **state)
{
	static const int items[] = {1, 3, 3, 3, 7};

	(void)state;
	assert_int_equal(partition_point(5, i, items[i] < 3), 1);
	assert_int_equal(partition_point(5, i, items[i] <= 3), 4);
	assert_int_equal(partition_point(5, i, items[i] < 0), 0);
	assert_int_equal(partition_point(5, i, items[i] < 8), 5);
}

static bool is_asked(size_t index, unsigned *asked)
{
	++*asked;
	return index < SIZE_MAX / 3;
}

/* Nor does the middle of the largest table there can be run over. */
static void test_steps(void **state)
{
	unsigned asked = 0;

	(void)state;
	assert_int_equal(partition_point(SIZE_MAX, i, is_asked(i, &asked)), SIZE_MAX / 3);
	assert_true(asked <= 8 * sizeof(size_t));
}

/* Sorted by nothing, as damaged files may be: some place in the table. */
static void test_unsorted(void **state)
{
	static const int items[] = {9, 1, 8, 2, 7};

	(void)state;
	for (int wanted = 0; wanted < 10; wanted++)
		assert_true(partition_point(5, i, items[i] < wanted) <= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_point), cmocka_unit_test(test_within),
		cmocka_unit_test(test_equal_items), cmocka_unit_test(test_steps),
		cmocka_unit_test(test_unsorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
