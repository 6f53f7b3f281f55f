/* Which columns a table shows, in which order its rows lie, and what a getter is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/tables/table.h"

static struct table_cell get_row(const struct table_item *item)
{
	return (struct table_cell){.count = *(const uint32_t *)item->row,
				   .text = item->view,
				   .error = (double)item->column->precision};
}

static const struct table_column columns[] = {
	{"A", "a", TABLE_COUNT, TABLE_ALL, .get = get_row, .precision = 3},
	{"B", "b", TABLE_COUNT, TABLE_PEOPLE, .get = get_row},
	{"C", "c", TABLE_COUNT, TABLE_PROGRAMS, .get = get_row},
	{"D", "d", TABLE_COUNT, TABLE_ALL | TABLE_ESTIMATES, .get = get_row},
	{"E", "e", TABLE_COUNT, TABLE_PEOPLE | TABLE_ESTIMATES | TABLE_TESTS, .get = get_row},
	{"F", "f", TABLE_COUNT, TABLE_HIDDEN, .get = get_row},
	{"G", "g", TABLE_COUNT, TABLE_PROGRAMS | TABLE_OTHERS, .get = get_row},
};

static void assert_shown(unsigned int audience, const char *keys)
{
	const struct table table = {TABLE_COLUMNS(columns), .audience = audience};
	struct table_shown shown;
	char text[16] = "";

	table_show(&table, &shown);
	for (unsigned int i = 0; i < shown.count; i++)
		text[i] = *shown.columns[i]->key;
	assert_string_equal(text, keys);
}

static void test_columns_are_for_their_audience(void **state)
{
	(void)state;
	assert_shown(TABLE_PEOPLE, "ab");
	assert_shown(TABLE_PROGRAMS, "acg");
	assert_shown(TABLE_OTHERS, "g");
}

/* All that a column names, and not less. */
static void test_columns_ask_for_what_the_table_has(void **state)
{
	(void)state;
	assert_shown(TABLE_PEOPLE | TABLE_ESTIMATES, "abd");
	assert_shown(TABLE_PEOPLE | TABLE_TESTS, "ab");
	assert_shown(TABLE_PEOPLE | TABLE_ESTIMATES | TABLE_TESTS | TABLE_HAS(0), "abde");
	assert_shown(TABLE_PROGRAMS | TABLE_ESTIMATES, "acdg");
}

static void test_cells_are_of_the_row_the_view_and_the_column(void **state)
{
	static const uint32_t numbers[] = {7, 8, 9};
	char view[] = "view";
	const struct table table = {TABLE_COLUMNS(columns), TABLE_ROWS(numbers, 3), .view = view};
	struct table_cell cell = table_cell_of(&table, 2, &columns[0]);

	(void)state;
	assert_int_equal(cell.count, 9);
	assert_string_equal(cell.text, "view");
	assert_int_equal((int)cell.error, 3);
}

static void test_rows_lie_as_ordered(void **state)
{
	static const uint32_t numbers[] = {7, 8, 9};
	uint32_t order[] = {2, 0};
	const struct table table = {TABLE_COLUMNS(columns), TABLE_ROWS(numbers, 2), .order = order};

	(void)state;
	assert_int_equal(*(const uint32_t *)table_row(&table, 0), 9);
	assert_int_equal(table_cell_of(&table, 1, &columns[1]).count, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_are_for_their_audience),
		cmocka_unit_test(test_columns_ask_for_what_the_table_has),
		cmocka_unit_test(test_cells_are_of_the_row_the_view_and_the_column),
		cmocka_unit_test(test_rows_lie_as_ordered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
