/* The call-path tree of whole recordings. */
#include "model/tree/calltree.h"

#include "calltree_fixture.h"

static void test_children_in_order_of_first_enter(void **state)
{
	(void)state;
	for (size_t way = 0; way < 2; way++) {
		struct fixture fixture = fixture_new(both_ways[way]);
		const struct calltree_node *nodes;
		uint32_t child;

		for (int i = 0; i < 2; i++) {
			enter(&fixture, fixture.h, 1);
			leave(&fixture, fixture.h, 2);
			enter(&fixture, fixture.f, 3);
			leave(&fixture, fixture.f, 4);
			enter(&fixture, fixture.g, 5);
			leave(&fixture, fixture.g, 6);
		}
		fixture_load(&fixture);
		nodes = fixture.tree->nodes;
		child = nodes[fixture.tree->thread_root[0]].first_child;
		assert_int_equal(nodes[child].region, fixture.h);
		child = nodes[child].next_sibling;
		assert_int_equal(nodes[child].region, fixture.f);
		child = nodes[child].next_sibling;
		assert_int_equal(nodes[child].region, fixture.g);
		assert_int_equal(nodes[child].next_sibling, CALLTREE_NONE);
		fixture_free(&fixture);
	}
}

static void test_open_nodes_run_to_the_end(void **state)
{
	(void)state;
	for (size_t way = 0; way < 2; way++) {
		struct fixture fixture = fixture_new(both_ways[way]);
		const struct calltree_node *g;

		enter(&fixture, fixture.f, 100);
		enter(&fixture, fixture.g, 200);
		leave(&fixture, fixture.g, 220);
		enter(&fixture, fixture.g, 300);
		enter(&fixture, fixture.h, 400);
		fixture_load(&fixture);
		assert_true(at(&fixture, 0, 0, 0)->is_open);
		assert_true(at(&fixture, 0, fixture.f, 0)->is_open);
		assert_true(at(&fixture, 0, fixture.f, 0)->sum_ns == 300);
		assert_int_equal(at(&fixture, 0, fixture.f, 0)->closed_count, 0);
		g = at(&fixture, 0, fixture.f, fixture.g);
		assert_true(g->is_open && g->count == 2 && g->closed_count == 1);
		assert_true(g->sum_ns == 120 && g->max_ns == 20);
		fixture_free(&fixture);
	}
}

static void test_threads_hang_at_their_creator(void **state)
{
	(void)state;
	for (size_t way = 0; way < 2; way++) {
		struct fixture fixture = fixture_new(both_ways[way]);
		const struct calltree_node *f;
		uint32_t first, second, late, orphan;

		enter(&fixture, fixture.f, 100);
		first = synthetic_thread(fixture.synthetic, 0, "first", 150);
		second = synthetic_thread(fixture.synthetic, 0, "second", 160);
		leave(&fixture, fixture.f, 300);
		late = synthetic_thread(fixture.synthetic, 0, "late", 400);
		orphan = synthetic_thread(fixture.synthetic, KYMO_NO_THREAD, "orphan", 500);
		synthetic_close(fixture.synthetic, 1000);
		fixture_load(&fixture);
		f = at(&fixture, 0, fixture.f, 0);
		assert_int_equal(f->creates_thread, first);
		assert_int_equal(fixture.tree->thread_next[first], second);
		assert_int_equal(fixture.tree->thread_next[second], CALLTREE_NONE);
		assert_int_equal(at(&fixture, 0, 0, 0)->creates_thread, late);
		assert_int_equal(fixture.tree->thread_next[late], CALLTREE_NONE);
		assert_int_equal(fixture.tree->thread_next[orphan], CALLTREE_NONE);
		fixture_free(&fixture);
	}
}

static void test_own_time_is_never_negative(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	const struct calltree_node *f;
	uint32_t reference;

	(void)state;
	enter(&fixture, fixture.f, 100);
	reference = synthetic_current(fixture.synthetic, 0);
	enter(&fixture, fixture.g, 100);
	leave(&fixture, fixture.g, 900);
	leave(&fixture, fixture.f, 200);
	assert_int_equal(synthetic_node_at(fixture.synthetic, reference)->sum, 100);
	fixture_load(&fixture);
	f = at(&fixture, 0, fixture.f, 0);
	assert_true(f->sum_ns == 800 && f->self_ns == 0);
	assert_true(at(&fixture, 0, 0, 0)->sum_ns >= 800);
	fixture_free(&fixture);
}

static void test_inherited_path_of_a_fork(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE | KYMO_HEADER_FORKED);
	const struct calltree_node *f;
	struct kymo_node *node;

	(void)state;
	enter(&fixture, fixture.f, 0);
	node = synthetic_node_at(fixture.synthetic, synthetic_current(fixture.synthetic, 0));
	node->flags = KYMO_NODE_INHERITED;
	node->count = 0;
	enter(&fixture, fixture.g, 10);
	leave(&fixture, fixture.g, 20);
	enter(&fixture, fixture.h, 25);
	fixture_load(&fixture);
	f = at(&fixture, 0, fixture.f, 0);
	assert_true(f->count == 0 && f->is_open && f->closed_count == 0);
	assert_true(f->sum_ns == 25);
	fixture_free(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children_in_order_of_first_enter),
		cmocka_unit_test(test_open_nodes_run_to_the_end),
		cmocka_unit_test(test_threads_hang_at_their_creator),
		cmocka_unit_test(test_own_time_is_never_negative),
		cmocka_unit_test(test_inherited_path_of_a_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
