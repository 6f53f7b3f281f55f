/* The latest stretches of code without a description. */
#include "object/code/rowranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_both_ends_are_inside(void **state)
{
	uint64_t row = 0;

	(void)state;
	assert_false(rowranges_find(0x1000, 1, &row));
	rowranges_add(0x1000, 0x1010, 1, 77);
	for (uint64_t address = 0x1000; address <= 0x1010; address++) {
		row = 0;
		assert_true(rowranges_find(address, 1, &row));
		assert_int_equal(row, 77);
	}
	row = 5;
	assert_false(rowranges_find(0xfff, 1, &row));
	assert_false(rowranges_find(0x1011, 1, &row));
	assert_int_equal(row, 5);
}

static void test_another_generation_forgets(void **state)
{
	uint64_t row;

	(void)state;
	rowranges_add(0x2000, 0x2000, 1, 3);
	assert_true(rowranges_find(0x2000, 1, &row));
	assert_false(rowranges_find(0x2000, 2, &row));
	assert_false(rowranges_find(0x2000, 0, &row));
	rowranges_add(0x2000, 0x2000, 2, 4);
	assert_true(rowranges_find(0x2000, 2, &row));
	assert_int_equal(row, 4);
}

static void test_the_oldest_goes(void **state)
{
	const uint64_t kept = 32, all = 1000;
	uint64_t row;

	(void)state;
	for (uint64_t i = 0; i < all; i++)
		rowranges_add(0x10000 + i * 16, 0x10000 + i * 16 + 15, 9, i);
	for (uint64_t i = 0; i < all; i++) {
		bool is_there = rowranges_find(0x10000 + i * 16 + 8, 9, &row);

		assert_int_equal(is_there, i >= all - kept);
		if (is_there)
			assert_int_equal(row, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ends_are_inside),
		cmocka_unit_test(test_another_generation_forgets),
		cmocka_unit_test(test_the_oldest_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
