/* Getters that tables of regions and of call paths share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/diff/diff_columns.h"

#define OF(getter) DIFF_VALUES(getter, struct diff_node)

static const struct table_column columns[] = {
	{"DIFF", "difference", TABLE_CHANGE, TABLE_PEOPLE, OF(diff_get_change)},
	{"BEFORE", "before", TABLE_DURATION, TABLE_PEOPLE, OF(diff_get_before)},
	{"AFTER", "after", TABLE_DURATION, TABLE_PEOPLE, OF(diff_get_after)},
	{"MORE", "more", TABLE_CHANGE_NUMBER, TABLE_PEOPLE, OF(diff_get_more)},
	{"SELF", "self", TABLE_CHANGE, TABLE_ALL,
	 DIFF_MEMBER(diff_get_difference, struct diff_node, self_ns)},
	{"CALLS", "calls", TABLE_CHANGE_NUMBER, TABLE_ALL,
	 DIFF_MEMBER(diff_get_difference, struct diff_node, count)},
	{"SELF %", "self_percent", TABLE_CHANGE_NUMBER, TABLE_ALL,
	 DIFF_MEMBER(diff_get_percent, struct diff_node, self_ns)},
	DIFF_ORDER_COLUMNS(struct diff_node),
};

static const struct diff_node faster = {.value = {{4, 2e9, 8e9}, {6, 1e9, 5e9}}},
			      added = {.value = {{0, 0, 0}, {0, 1e9, 1e9}}};

static struct table_cell cell_of(const struct diff_node *node, enum diff_measure measure,
				 unsigned int column)
{
	struct diff_texts texts = {.measure = measure};
	const struct table table = {TABLE_COLUMNS(columns), TABLE_ROWS(node, 1), .view = &texts};

	return table_cell_of(&table, 0, &columns[column]);
}

static void test_what_the_table_is_about(void **state)
{
	(void)state;
	assert_float_equal(cell_of(&faster, DIFF_TOTAL, 0).number, -3, 1e-9);
	assert_float_equal(cell_of(&faster, DIFF_TOTAL, 1).number, 8, 1e-9);
	assert_float_equal(cell_of(&faster, DIFF_SELF, 2).number, 1, 1e-9);
	assert_float_equal(cell_of(&faster, DIFF_MEAN, 1).number, 2, 1e-9);
}

static void test_calls(void **state)
{
	(void)state;
	assert_float_equal(cell_of(&faster, DIFF_SELF, 3).number, 2, 1e-9);
	assert_true(cell_of(&added, DIFF_SELF, 3).is_missing);
	assert_float_equal(cell_of(&faster, DIFF_SELF, 5).number, 2, 1e-9);
}

static void test_members(void **state)
{
	(void)state;
	assert_float_equal(cell_of(&faster, DIFF_TOTAL, 4).number, -1, 1e-9);
	assert_float_equal(cell_of(&faster, DIFF_TOTAL, 6).number, -50, 1e-9);
	assert_true(cell_of(&added, DIFF_TOTAL, 6).is_missing);
}

/* However it changed: the largest difference comes first. */
static void test_sizes(void **state)
{
	(void)state;
	assert_string_equal(diff_order_key(DIFF_ORDER_TOTAL), columns[7].key);
	assert_string_equal(diff_order_key(DIFF_ORDER_CHANGE), columns[8].key);
	assert_string_equal(diff_order_key(DIFF_ORDER_CALLS), columns[9].key);
	assert_float_equal(cell_of(&faster, DIFF_TOTAL, 7).number, 3, 1e-9);
	assert_float_equal(cell_of(&faster, DIFF_SELF, 8).number, 50, 1e-9);
	assert_float_equal(cell_of(&faster, DIFF_SELF, 9).number, 2, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_the_table_is_about),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
