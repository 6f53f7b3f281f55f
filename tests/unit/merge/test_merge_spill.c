/* Trees in the spilled file, read again in their order. */
#include "merge/inputs/merge_spill.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct merge_spill spill;

static int begin(void **state)
{
	(void)state;
	merge_spill_init(&spill, "/tmp");
	return 0;
}

static int end(void **state)
{
	(void)state;
	merge_spill_release(&spill);
	return 0;
}

static uint32_t region(struct merge_tree *tree, uint32_t kind, const char *name)
{
	const struct merge_region region = {.kind = kind, .line = kind * 3, .texts = {name}};

	return merge_regions_add(&tree->regions, &region);
}

/* A thread with two children, made in the reverse of their order. */
static void spill_tree(void)
{
	struct problem problem = {""};
	struct merge_tree tree;
	uint32_t root, child, *rank;

	merge_tree_init(&tree);
	merge_tree_metric(&tree, 9);
	root = merge_tree_node(&tree, MERGE_NO_NODE, region(&tree, MERGE_REGION_THREAD, "main"),
			       false);
	merge_tree_thread(&tree, root)->cpu_ns = 77;
	child = merge_tree_node(&tree, root, region(&tree, 1, "z"), false);
	tree.nodes[child].values = (struct merge_values){2, 2, 10, 4, 6, 52};
	merge_tree_metrics(&tree, child)[0] = (struct merge_metric){2, -1, 5, 4, 26};
	merge_tree_node(&tree, root, region(&tree, 1, "a"), true);
	assert_int_equal(merge_spill_tree(&spill, &tree, &rank, &problem), KYMO_OK);
	assert_int_equal(tree.node_count, 0);
	assert_true(rank[0] == 2 && rank[1] == 1 && rank[2] == 0);
	assert_int_equal(merge_spill_flush(&spill, &problem), KYMO_OK);
	free(rank);
}

static void test_regions_come_in_order(void **state)
{
	static const char *const names[] = {"a", "z", "main"};
	struct merge_cursor cursor;

	(void)state;
	spill_tree();
	assert_int_equal(spill.run_count, 1);
	assert_true(merge_cursor_init(&cursor, &spill, &spill.runs[0], false, 64));
	for (int i = 0; i < 3; i++) {
		merge_cursor_next_region(&cursor);
		assert_false(cursor.is_at_end);
		assert_string_equal(cursor.region.texts[0], names[i]);
		assert_null(cursor.region.texts[1]);
		assert_int_equal(cursor.region.line, cursor.region.kind * 3);
	}
	merge_cursor_next_region(&cursor);
	assert_true(cursor.is_at_end);
	assert_false(cursor.has_failed);
	merge_cursor_release(&cursor);
}

static void test_nodes_come_with_all_they_have(void **state)
{
	struct merge_cursor cursor;

	(void)state;
	spill_tree();
	assert_true(merge_cursor_init(&cursor, &spill, &spill.runs[0], true, 64));
	merge_cursor_next_node(&cursor);
	assert_true(cursor.depth == 0 && cursor.node_region == 2 && cursor.thread.cpu_ns == 77);
	merge_cursor_next_node(&cursor);
	assert_true(cursor.depth == 1 && cursor.node_region == 0 && cursor.is_folded);
	merge_cursor_next_node(&cursor);
	assert_true(cursor.depth == 1 && cursor.node_region == 1 && !cursor.is_folded);
	assert_true(cursor.values.count == 2 && cursor.values.self_ns == 10 &&
		    cursor.values.min_ns == 4 && cursor.values.max_ns == 6 &&
		    cursor.values.squares == 52);
	assert_true(cursor.metrics[0].count == 2 && cursor.metrics[0].min == -1 &&
		    cursor.metrics[0].sum == 4 && cursor.metrics[0].squares == 26);
	merge_cursor_next_node(&cursor);
	assert_true(cursor.is_at_end && !cursor.has_failed);
	merge_cursor_release(&cursor);
}

static void test_bytes_lie_between_trees(void **state)
{
	struct problem problem = {""};
	char long_text[5000], read[5000];
	uint64_t first, second;

	(void)state;
	memset(long_text, 'x', sizeof(long_text));
	assert_int_equal(merge_spill_bytes(&spill, "abc", 3, &first, &problem), KYMO_OK);
	spill_tree();
	assert_int_equal(merge_spill_bytes(&spill, long_text, sizeof(long_text), &second, &problem),
			 KYMO_OK);
	assert_int_equal(merge_spill_flush(&spill, &problem), KYMO_OK);
	assert_true(merge_spill_read(&spill, read, 3, first));
	assert_memory_equal(read, "abc", 3);
	assert_true(merge_spill_read(&spill, read, sizeof(read), second));
	assert_memory_equal(read, long_text, sizeof(read));
	assert_false(merge_spill_read(&spill, read, sizeof(read), second + 1));
}

static void test_no_folder_to_write_into(void **state)
{
	struct problem problem = {""};
	struct merge_spill none;
	uint64_t at;

	(void)state;
	merge_spill_init(&none, "/proc/nowhere");
	assert_int_not_equal(merge_spill_bytes(&none, "x", 1, &at, &problem), KYMO_OK);
	assert_non_null(strstr(problem.text, "/proc/nowhere"));
	merge_spill_release(&none);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_regions_come_in_order),
		CASE(test_nodes_come_with_all_they_have),
		CASE(test_bytes_lie_between_trees),
		CASE(test_no_folder_to_write_into),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
