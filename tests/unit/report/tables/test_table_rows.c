/* Cells of call paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/profile/rows.h"
#include "report/tables/table_rows.h"

static const struct table_column columns[] = {
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, .get = table_get_row_calls},
	{"LOW", "low", TABLE_COUNT, TABLE_ALL, .get = table_get_row_calls_low},
	{"HIGH", "high", TABLE_COUNT, TABLE_ALL, .get = table_get_row_calls_high},
	{"MEAN", "mean", TABLE_DURATION, TABLE_ALL, .get = table_get_row_mean},
};

static struct table_cell cell_of(const struct row *row, unsigned int column)
{
	const struct table table = {TABLE_COLUMNS(columns), TABLE_ROWS(row, 1)};

	return table_cell_of(&table, 0, &columns[column]);
}

static void test_exact_calls(void **state)
{
	const struct row row = {.count = 4, .sum_ns = 2e9};

	(void)state;
	assert_int_equal(cell_of(&row, 0).count, 4);
	assert_false(cell_of(&row, 0).is_about);
	assert_int_equal(cell_of(&row, 1).count, 4);
	assert_int_equal(cell_of(&row, 2).count, 4);
	assert_float_equal(cell_of(&row, 3).number, 0.5, 1e-9);
}

static void test_estimated_calls(void **state)
{
	const struct row row = {
		.count = 4, .is_count_estimated = true, .count_low = 3, .count_high = 6};

	(void)state;
	assert_true(cell_of(&row, 0).is_about);
	assert_int_equal(cell_of(&row, 1).count, 3);
	assert_int_equal(cell_of(&row, 2).count, 6);
}

static void test_what_was_not_called_has_no_mean(void **state)
{
	const struct row row = {.sum_ns = 2e9};

	(void)state;
	assert_float_equal(cell_of(&row, 3).number, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_calls),
		cmocka_unit_test(test_estimated_calls),
		cmocka_unit_test(test_what_was_not_called_has_no_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
