/* Call paths of runs that are read side by side: those of one name add up, the others stay. */
#include "merge/merge_join_nodes.h"

#include "joined_fixture.h"
#include "model/tree/calltree.h"

static struct recording *recording;
static struct calltree *calls;

static void join(void)
{
	struct problem problem = {""};

	begin_joined();
	assert_int_equal(merge_join_regions(&joined, &spill, &problem), KYMO_OK);
	assert_int_equal(merge_join_nodes(&joined, &problem), KYMO_OK);
}

static void open_tree(void)
{
	struct problem problem = {""};

	recording = open_joined();
	assert_int_equal(calltree_new(recording, &calls, &problem), KYMO_OK);
}

static void close_tree(void)
{
	calltree_free(calls);
	recording_free(recording);
}

/* The only node of a name below another one. */
static const struct calltree_node *find(const char *parent, const char *name)
{
	const struct calltree_node *found = NULL;

	for (uint32_t i = 0; i < calls->node_count; i++) {
		const struct calltree_node *node = &calls->nodes[i];
		const char *above =
			node->depth > 1 ? recording->regions[calls->nodes[node->parent].region].name
					: "";

		if (node->depth == 0 || strcmp(recording->regions[node->region].name, name) != 0 ||
		    strcmp(above, parent) != 0)
			continue;
		assert_null(found);
		found = node;
	}
	assert_non_null(found);
	return found;
}

static void test_paths_add_up(void **state)
{
	(void)state;
	spilled_calls(spilled_calls(spilled_root(), "f", 2, 10), "g", 4, 3);
	spill_now();
	spilled_calls(spilled_root(), "g", 1, 100);
	spilled_calls(spilled_calls(spilled_root(), "f", 1, 40), "g", 1, 8);
	spill_now();
	join();
	assert_true(joined.call_count == 2 + 4 + 1 + 1 + 1);
	assert_true(joined.c_call_count == 0);
	open_tree();
	assert_int_equal(calls->node_count, 4);
	assert_int_equal(find("", "f")->count, 3);
	assert_true(find("", "f")->self_ns == 60);
	assert_true(find("", "f")->sum_ns == 60 + 12 + 8); /* with what it calls */
	assert_true(find("", "f")->min_ns == 10 && find("", "f")->max_ns == 40);
	assert_int_equal(find("f", "g")->count, 5);
	assert_true(find("f", "g")->sum_squares_ns == 4 * 9 + 64);
	assert_int_equal(find("", "g")->count, 1);
	close_tree();
}

/* Deeper in one run than in the other. */
static void test_one_run_goes_deeper(void **state)
{
	uint32_t node;

	(void)state;
	node = spilled_root();
	for (int i = 0; i < 20; i++)
		node = spilled_calls(node, "f", 1, 1);
	spill_now();
	spilled_calls(spilled_root(), "f", 1, 1);
	spill_now();
	join();
	open_tree();
	assert_int_equal(calls->node_count, 21);
	for (uint32_t i = 1; i < 21; i++)
		assert_int_equal(calls->nodes[i].count, i == 1 ? 2 : 1);
	assert_true(calls->nodes[1].sum_ns == 21);
	close_tree();
}

static void test_no_runs(void **state)
{
	(void)state;
	join();
	assert_true(joined.call_count == 0);
	open_tree();
	assert_int_equal(calls->node_count, 0);
	close_tree();
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_spill, end_spill)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_paths_add_up),
		CASE(test_one_run_goes_deeper),
		CASE(test_no_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
