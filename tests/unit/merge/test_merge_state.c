/* A merge that is going on: which metrics it has, and when it is written away. */
#include "merge/merge_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct merge_state merge;
static struct problem problem;

static int set_up(void **state)
{
	(void)state;
	merge_state_init(&merge, "/tmp", 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	merge_state_release(&merge);
	return 0;
}

static void add_node(void)
{
	const struct merge_region region = {.kind = MERGE_REGION_THREAD, .texts = {"main"}};

	assert_int_equal(merge_tree_node(&merge.tree, MERGE_NO_NODE,
					 merge_regions_add(&merge.tree.regions, &region), false),
			 0);
}

static void test_full(void **state)
{
	(void)state;
	assert_false(merge_state_is_full(&merge)); /* nothing is there to be written */
	add_node();
	assert_true(merge_state_is_full(&merge));
	merge.memory_limit = UINT64_C(1) << 40;
	assert_false(merge_state_is_full(&merge));
	assert_int_equal(merge_state_spill(&merge, &problem), KYMO_OK);
	assert_int_equal(merge.spill.run_count, 1);
	assert_int_equal(merge.tree.node_count, 0);
}

static void test_what_does_not_add_up(void **state)
{
	static const uint32_t ids[] = {KYMO_METRIC_CPU_UTIL, KYMO_METRIC_PEAK_RSS,
				       KYMO_METRIC_SAMPLING_PERCENT};
	uint32_t columns[3];

	(void)state;
	assert_int_equal(merge_state_metrics(&merge, ids, 3, columns, &problem), KYMO_OK);
	assert_int_equal(columns[0], KYMO_METRICS_MAX);
	assert_int_equal(columns[1], 0);
	assert_int_equal(columns[2], KYMO_METRICS_MAX);
	assert_int_equal(merge.tree.metric_count, 1);
}

/* A tree has the metrics it began with: it is written, and another one begun. */
static void test_a_metric_that_comes_later(void **state)
{
	static const uint32_t ids[] = {KYMO_METRIC_PEAK_RSS, KYMO_METRIC_PAGE_RSS};
	uint32_t columns[2];

	(void)state;
	assert_int_equal(merge_state_metrics(&merge, ids, 1, columns, &problem), KYMO_OK);
	add_node();
	assert_int_equal(merge_state_metrics(&merge, ids, 1, columns, &problem), KYMO_OK);
	assert_int_equal(merge.spill.run_count, 0);
	assert_int_equal(merge_state_metrics(&merge, ids, 2, columns, &problem), KYMO_OK);
	assert_int_equal(merge.spill.run_count, 1);
	assert_int_equal(merge.tree.node_count, 0);
	assert_int_equal(columns[0], 0);
	assert_int_equal(columns[1], 1);
	assert_int_equal(merge.spill.runs[0].metric_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_full, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_what_does_not_add_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_metric_that_comes_later, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
