/* The order of rows: which column decides, what among equals, and what is kept of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/tables/table_get.h"
#include "report/tables/table_sort.h"

struct sort_row {
	double self_ns;
	uint64_t calls;
	uint32_t number;
	const char *name;
};

static char texts[32];

/* As getters of names have it: a text that the next one takes the place of. */
static struct table_cell get_name(const struct table_item *item)
{
	const struct sort_row *row = item->row;

	snprintf(texts, sizeof(texts), "%s", row->name);
	return table_text(texts);
}

static const struct table_column columns[] = {
	{"SELF", "self", TABLE_DURATION, TABLE_ALL, TABLE_FIELD(struct sort_row, self_ns)},
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, TABLE_FIELD(struct sort_row, calls)},
	{"ID", "id", TABLE_ID, TABLE_HIDDEN, TABLE_FIELD(struct sort_row, number)},
	{"NAME", "name", TABLE_TEXT, TABLE_ALL, .get = get_name},
};

static const struct sort_row rows[] = {
	{2e9, 7, 3, "b"},
	{3e9, 1, 9, "c"},
	{2e9, 7, 1, "a"},
	{1e9, 9, 5, "b"},
};

#define SORT(...) ((const char *const[]){__VA_ARGS__, NULL})

static void assert_order(const struct sort_row *of, size_t count, const char *const *keys,
			 const char *expected)
{
	struct table table = {TABLE_COLUMNS(columns), TABLE_ROWS(of, count)};
	char text[16] = "";

	table.order = table_order_new(count);
	assert_non_null(table.order);
	table_sort(&table, count, keys);
	for (size_t i = 0; i < count; i++)
		text[i] = (char)('0' + table.order[i]);
	assert_string_equal(text, expected);
}

static void test_amounts_come_largest_first(void **state)
{
	(void)state;
	assert_order(rows, 4, SORT("self"), "1023");
	assert_order(rows, 4, SORT("calls"), "3021");
}

static void test_names_and_ids_ascend(void **state)
{
	(void)state;
	assert_order(rows, 4, SORT("name"), "2031");
	assert_order(rows, 4, SORT("id"), "2031");
}

static void test_next_columns_decide_among_equals(void **state)
{
	(void)state;
	assert_order(rows, 4, SORT("self", "name"), "1203");
	assert_order(rows, 4, SORT("calls", "self", "id"), "3201");
}

static void test_equals_stay_as_they_lie(void **state)
{
	static const struct sort_row many[9] = {{0}};

	(void)state;
	assert_order(many, 9, SORT("self", "calls", "id"), "012345678");
}

static void test_no_numbers_come_last(void **state)
{
	const struct sort_row unknown[] = {{.self_ns = (double)NAN, .number = 2},
					   {.self_ns = 1, .number = 1}};

	(void)state;
	assert_order(unknown, 2, SORT("self", "id"), "10");
}

static void test_the_rest_is_kept(void **state)
{
	struct table table = {TABLE_COLUMNS(columns), TABLE_ROWS(rows, 4)};

	(void)state;
	table.order = table_order_new(4);
	assert_non_null(table.order);
	table_keep(&table, 4, 1, 2);
	assert_int_equal(table.row_count, 3);
	assert_int_equal(table.order[0], 0);
	assert_int_equal(table.order[1], 2);
	assert_int_equal(table.order[2], 3);
	table_keep(&table, 3, 0, 1);
	assert_int_equal(table.row_count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_amounts_come_largest_first),
		cmocka_unit_test(test_names_and_ids_ascend),
		cmocka_unit_test(test_next_columns_decide_among_equals),
		cmocka_unit_test(test_equals_stay_as_they_lie),
		cmocka_unit_test(test_no_numbers_come_last),
		cmocka_unit_test(test_the_rest_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
