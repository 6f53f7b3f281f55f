/* The tree that recordings are added to. */
#include "merge/merge_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_a_path_is_one_node(void **state)
{
	struct merge_tree tree;
	uint32_t root, child, folded, other;

	(void)state;
	merge_tree_init(&tree);
	root = merge_tree_node(&tree, MERGE_NO_NODE, 5, false);
	child = merge_tree_node(&tree, root, 5, false);
	folded = merge_tree_node(&tree, root, 5, true);
	other = merge_tree_node(&tree, MERGE_NO_NODE, 6, false);
	assert_int_equal(tree.node_count, 4);
	assert_int_equal(merge_tree_node(&tree, root, 5, false), child);
	assert_int_equal(merge_tree_node(&tree, root, 5, true), folded);
	assert_int_equal(merge_tree_node(&tree, MERGE_NO_NODE, 6, false), other);
	assert_int_equal(tree.node_count, 4);
	/* Both roots, and both children of the first, are in their lists. */
	assert_int_equal(tree.first_root, other);
	assert_int_equal(tree.nodes[other].next_sibling, root);
	assert_int_equal(tree.nodes[root].next_sibling, MERGE_NO_NODE);
	assert_int_equal(tree.nodes[root].first_child, folded);
	assert_int_equal(tree.nodes[folded].next_sibling, child);
	assert_true(merge_tree_bytes(&tree) >= 4 * sizeof(struct merge_node));
	merge_tree_release(&tree);
	assert_int_equal(tree.node_count, 0);
	assert_int_equal(tree.first_root, MERGE_NO_NODE);
}

static void test_metrics_are_chosen_before_nodes(void **state)
{
	struct merge_tree tree;
	uint32_t root;

	(void)state;
	merge_tree_init(&tree);
	for (uint32_t i = 0; i < KYMO_METRICS_MAX; i++)
		assert_int_equal(merge_tree_metric(&tree, 100 + i), i);
	assert_int_equal(merge_tree_metric(&tree, 99), KYMO_METRICS_MAX);
	assert_int_equal(merge_tree_metric(&tree, 101), 1);
	root = merge_tree_node(&tree, MERGE_NO_NODE, 1, false);
	for (uint32_t i = 0; i < KYMO_METRICS_MAX; i++)
		assert_true(merge_tree_metrics(&tree, root)[i].min >
			    merge_tree_metrics(&tree, root)[i].max);
	merge_tree_release(&tree);
	root = merge_tree_node(&tree, MERGE_NO_NODE, 1, false);
	assert_null(merge_tree_metrics(&tree, root));
	assert_int_equal(merge_tree_metric(&tree, 7), tree.metric_count);
	merge_tree_release(&tree);
}

/* In any order and any grouping it is the same sum. */
static void test_values_add_up(void **state)
{
	const struct merge_values values[] = {
		{3, 2, 100, 10, 40, 5},
		{1, 0, 7, UINT64_MAX, 0, 1}, /* none is closed */
		{UINT64_MAX, 9, UINT64_MAX - 3, 2, 90, ~(merge_natural)0},
	};
	static const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {1, 0, 2}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct merge_values left = merge_values_none, right = merge_values_none,
				    sum = merge_values_none;

		merge_values_add(&left, &values[orders[i][0]]);
		merge_values_add(&left, &values[orders[i][1]]);
		merge_values_add(&right, &values[orders[i][2]]);
		merge_values_add(&sum, &right);
		merge_values_add(&sum, &left);
		assert_true(sum.count == UINT64_MAX && sum.closed == 11);
		assert_true(sum.self_ns == UINT64_MAX);
		assert_int_equal(sum.min_ns, 2);
		assert_int_equal(sum.max_ns, 90);
		assert_true(sum.squares == ~(merge_natural)0);
	}
}

static void test_metrics_add_up(void **state)
{
	struct merge_metric sum = merge_metric_none;
	const struct merge_metric first = {2, -4, 6, 2, 52}, none = {1, 1, 0, 0, 0},
				  last = {1, -9, -9, -9, 81};

	(void)state;
	merge_metric_add(&sum, &none);
	assert_true(sum.min > sum.max);
	merge_metric_add(&sum, &first);
	merge_metric_add(&sum, &none);
	merge_metric_add(&sum, &last);
	assert_int_equal(sum.count, 5);
	assert_true(sum.min == -9 && sum.max == 6);
	assert_true(sum.sum == -7 && sum.squares == 133);
}

static void test_threads_of_a_name(void **state)
{
	const struct thread thread = {.cpu_ns = 5,
				      .lost_events = 1,
				      .folded = 2,
				      .resynced = 3,
				      .misused_ends = 4,
				      .never_ended = 6,
				      .measuring_ns = 7};
	struct merge_thread_sums *sums;
	struct merge_tree tree;
	uint32_t first, later;

	(void)state;
	merge_tree_init(&tree);
	first = merge_tree_node(&tree, MERGE_NO_NODE, 1, false);
	later = merge_tree_node(&tree, MERGE_NO_NODE, 1000, false);
	assert_true(merge_tree_add_thread(&tree, first, &thread));
	assert_true(merge_tree_add_thread(&tree, later, &thread));
	assert_true(merge_tree_add_thread(&tree, first, &thread));
	sums = merge_tree_thread(&tree, first);
	assert_true(sums->cpu_ns == 10 && sums->lost_events == 2 && sums->folded == 4 &&
		    sums->resynced == 6 && sums->misused_ends == 8 && sums->never_ended == 12 &&
		    sums->measuring_ns == 14);
	assert_int_equal(merge_tree_thread(&tree, later)->cpu_ns, 5);
	merge_tree_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_path_is_one_node),
		cmocka_unit_test(test_metrics_are_chosen_before_nodes),
		cmocka_unit_test(test_values_add_up),
		cmocka_unit_test(test_metrics_add_up),
		cmocka_unit_test(test_threads_of_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
