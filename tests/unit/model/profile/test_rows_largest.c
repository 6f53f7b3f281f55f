/* The largest rows of a profile: a tree whatever is left out, each process by itself. */
#include "model/profile/rows_largest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#define ROWS 8

/* Two processes:        0: a 10, b 2, c 7 (c is below a)      1: a 30, d 40 (a thread that
 * outlives what created it, below a), e 1, f 1. */
static struct row rows_in[ROWS] = {
	{.region = 0, .depth = 0, .process = 0, .sum_ns = 10, .self_ns = 3},
	{.region = 2, .depth = 1, .process = 0, .sum_ns = 7, .self_ns = 7},
	{.region = 1, .depth = 0, .process = 0, .sum_ns = 2, .self_ns = 2},
	{.region = 0, .depth = 0, .process = 1, .sum_ns = 30, .self_ns = 30},
	{.region = 4, .depth = 1, .process = 1, .sum_ns = 1, .self_ns = 1},
	{.region = 3, .depth = 1, .process = 1, .sum_ns = 40, .self_ns = 39},
	{.region = 5, .depth = 2, .process = 1, .sum_ns = 1, .self_ns = 1, .is_open = true},
	{.region = 5, .depth = 0, .process = 1, .sum_ns = 5, .self_ns = 5},
};
static struct row_metric metrics_in[ROWS];
static const struct rows all = {
	.rows = rows_in,
	.count = ROWS,
	.metrics = metrics_in,
	.metric_count = 1,
	.tree_count = 2,
	.has_open = true,
};

static struct rows *largest(size_t count)
{
	uint32_t *order = rows_order_new(&all);
	struct rows *part;

	for (size_t i = 0; i < ROWS; i++)
		metrics_in[i].sum = (double)i;
	assert_non_null(order);
	assert_int_equal(rows_largest_new(&all, order, count, &part), KYMO_OK);
	free(order);
	return part;
}

static void assert_rows(const struct rows *part, size_t count, const double *metrics)
{
	assert_int_equal(part->count, count);
	assert_int_equal(part->left_out, ROWS - count);
	for (size_t i = 0; i < count; i++)
		assert_true(part->metrics[i].sum == metrics[i]);
}

static void test_parents(void **state)
{
	static const uint32_t expected[ROWS] = {
		ROWS_NO_PARENT, 0, ROWS_NO_PARENT, ROWS_NO_PARENT, 3, 3, 5, ROWS_NO_PARENT};
	uint32_t *parents = rows_parents_new(&all);

	(void)state;
	assert_non_null(parents);
	assert_memory_equal(parents, expected, sizeof(expected));
	free(parents);
}

static void test_order_is_a_tree_at_every_length(void **state)
{
	static const uint32_t expected[ROWS] = {3, 5, 0, 1, 7, 2, 4, 6};
	uint32_t *order = rows_order_new(&all);

	(void)state;
	assert_non_null(order);
	assert_memory_equal(order, expected, sizeof(expected));
	free(order);
}

static void test_largest_first_within_each_process(void **state)
{
	static const double expected[] = {0, 1, 3, 5, 7};
	struct rows *part = largest(5);

	(void)state;
	assert_rows(part, 5, expected);
	assert_false(part->has_open);
	/* 4 of 88 ns are in the lines of what is left out. */
	assert_true(part->left_out_percent > 4.54 && part->left_out_percent < 4.55);
	rows_free(part);
}

static void test_all_rows_are_all(void **state)
{
	static const double expected[] = {0, 1, 2, 3, 5, 6, 4, 7};
	struct rows *part = largest(ROWS);

	(void)state;
	assert_rows(part, ROWS, expected);
	assert_true(part->has_open);
	assert_true(part->left_out_percent == 0);
	rows_free(part);
}

static void test_no_rows_are_left(void **state)
{
	struct rows *part = largest(0);

	(void)state;
	assert_int_equal(part->count, 0);
	assert_int_equal(part->left_out, ROWS);
	assert_true(part->left_out_percent == 100);
	rows_free(part);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parents),
		cmocka_unit_test(test_order_is_a_tree_at_every_length),
		cmocka_unit_test(test_largest_first_within_each_process),
		cmocka_unit_test(test_all_rows_are_all),
		cmocka_unit_test(test_no_rows_are_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
