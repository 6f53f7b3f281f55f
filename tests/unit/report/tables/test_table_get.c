/* Cells that are members of a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "model/tree/call_count.h"
#include "report/tables/table_get.h"

struct member_row {
	double ns;
	uint64_t count;
	uint32_t number;
	bool is_open;
	const char *name, *nothing;
	struct call_count calls;
	uint32_t line;
};

static const struct table_column columns[] = {
	{"TIME", "time", TABLE_DURATION, TABLE_ALL, TABLE_FIELD(struct member_row, ns)},
	{"NUMBER", "number", TABLE_NUMBER, TABLE_ALL, TABLE_FIELD(struct member_row, ns)},
	{"COUNT", "count", TABLE_COUNT, TABLE_ALL, TABLE_FIELD(struct member_row, count)},
	{"ID", "id", TABLE_ID, TABLE_ALL, TABLE_FIELD(struct member_row, number)},
	{"OPEN", "open", TABLE_COUNT, TABLE_ALL, TABLE_FIELD(struct member_row, is_open)},
	{"NAME", "name", TABLE_TEXT, TABLE_ALL, TABLE_FIELD(struct member_row, name)},
	{"NOTHING", "nothing", TABLE_TEXT, TABLE_ALL, TABLE_FIELD(struct member_row, nothing)},
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL,
	 TABLE_MEMBER(table_get_calls, struct member_row, calls)},
	{"LOW", "low", TABLE_COUNT, TABLE_ALL,
	 TABLE_MEMBER(table_get_calls_low, struct member_row, calls)},
	{"HIGH", "high", TABLE_COUNT, TABLE_ALL,
	 TABLE_MEMBER(table_get_calls_high, struct member_row, calls)},
	{"LINE", "line", TABLE_ID, TABLE_ALL,
	 TABLE_MEMBER(table_get_line, struct member_row, line)},
};

static struct table_cell cell_of(const struct member_row *row, unsigned int column)
{
	const struct table table = {TABLE_COLUMNS(columns), TABLE_ROWS(row, 1)};

	return table_cell_of(&table, 0, &columns[column]);
}

static void test_members_of_each_type(void **state)
{
	const struct member_row row = {
		.ns = 2.5e9, .count = UINT64_MAX, .number = 3, .is_open = true, .name = "f"};

	(void)state;
	assert_float_equal(cell_of(&row, 0).number, 2.5, 1e-12);
	assert_float_equal(cell_of(&row, 1).number, 2.5e9, 0);
	assert_true(cell_of(&row, 2).count == UINT64_MAX);
	assert_int_equal(cell_of(&row, 3).count, 3);
	assert_int_equal(cell_of(&row, 4).count, 1);
	assert_string_equal(cell_of(&row, 5).text, "f");
	assert_false(cell_of(&row, 5).is_missing);
}

static void test_what_is_not_known_is_missing(void **state)
{
	const struct member_row row = {.ns = (double)NAN};

	(void)state;
	assert_true(cell_of(&row, 0).is_missing);
	assert_true(cell_of(&row, 6).is_missing);
	assert_true(cell_of(&row, 10).is_missing);
	assert_false(cell_of(&row, 3).is_missing);
}

static void test_estimated_calls(void **state)
{
	const struct member_row row = {.calls = {5, true, 4, 7}, .line = 12};

	(void)state;
	assert_int_equal(cell_of(&row, 7).count, 5);
	assert_true(cell_of(&row, 7).is_about);
	assert_int_equal(cell_of(&row, 8).count, 4);
	assert_int_equal(cell_of(&row, 9).count, 7);
	assert_int_equal(cell_of(&row, 10).count, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_of_each_type),
		cmocka_unit_test(test_what_is_not_known_is_missing),
		cmocka_unit_test(test_estimated_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
