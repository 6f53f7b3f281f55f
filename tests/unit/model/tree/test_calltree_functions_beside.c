/* What other collectors keep goes below the instrumented functions that called it. */
#include "calltree_functions_fixture.h"

/* Beside what other collectors keep as a tree, below the region that is the program. */
static void test_is_a_part_of_the_program(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	uint32_t program = synthetic_region(fixture.synthetic, KYMO_REGION_PROGRAM, "app");
	const struct calltree_node *root, *whole;

	(void)state;
	synthetic_enter(fixture.synthetic, fixture.thread, program, 50);
	enter(&fixture, F0, 10, 100);
	leave(&fixture, 10, 300);
	put(&fixture);
	synthetic_leave(fixture.synthetic, fixture.thread, program, 1050);
	load(&fixture, 2000);
	root = &fixture.tree->nodes[fixture.tree->thread_root[fixture.thread]];
	whole = &fixture.tree->nodes[root->first_child];
	assert_int_equal(whole->region, program);
	assert_node(whole, 1, 1000, 800);
	assert_int_equal(fixture.tree->nodes[whole->first_child].region, region_of(&fixture, F0));
	assert_node(&fixture.tree->nodes[whole->first_child], 1, 200, 200);
	fixture_free(&fixture);
}

/* What another collector keeps beside the program's functions was called by them. */
static void test_others_go_below_the_outermost_function(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	uint32_t program = synthetic_region(fixture.synthetic, KYMO_REGION_PROGRAM, "app");
	uint32_t lock = synthetic_region(fixture.synthetic, KYMO_REGION_PTHREAD, "lock");
	uint32_t inner = synthetic_region(fixture.synthetic, KYMO_REGION_PTHREAD, "inner");
	const struct calltree_node *nodes, *node;
	uint32_t other;

	(void)state;
	synthetic_enter(fixture.synthetic, fixture.thread, program, 0);
	enter(&fixture, F0, 10, 10);
	enter(&fixture, F1, 14, 20);
	leave(&fixture, 14, 120);
	synthetic_enter(fixture.synthetic, fixture.thread, lock, 200);
	synthetic_enter(fixture.synthetic, fixture.thread, inner, 250);
	synthetic_leave(fixture.synthetic, fixture.thread, inner, 260);
	other = synthetic_thread(fixture.synthetic, fixture.thread, "other", 300);
	synthetic_leave(fixture.synthetic, fixture.thread, lock, 600);
	leave(&fixture, 10, 1000);
	put(&fixture);
	synthetic_leave(fixture.synthetic, fixture.thread, program, 1050);
	load(&fixture, 2000);
	nodes = fixture.tree->nodes;
	node = &nodes[nodes[fixture.tree->thread_root[fixture.thread]].first_child];
	assert_node(node, 1, 1050, 60);
	node = &nodes[node->first_child];
	assert_int_equal(node->region, region_of(&fixture, F0));
	assert_node(node, 1, 990, 490);
	assert_int_equal(nodes[node->first_child].region, region_of(&fixture, F1));
	node = &nodes[nodes[node->first_child].next_sibling];
	assert_int_equal(node->region, lock);
	assert_node(node, 1, 400, 390);
	assert_int_equal(node->creates_thread, other);
	assert_int_equal(nodes[node->first_child].region, inner);
	fixture_free(&fixture);
}

/* main, f0, is called for 990 ns and calls f1 and f2, which take so much; lock is visited. */
static void waiting(struct fixture *fixture, uint32_t *lock, uint64_t f1, uint64_t f2,
		    uint64_t wait, uint32_t visits)
{
	uint32_t program = synthetic_region(fixture->synthetic, KYMO_REGION_PROGRAM, "app");

	*lock = synthetic_region(fixture->synthetic, KYMO_REGION_PTHREAD, "lock");
	synthetic_enter(fixture->synthetic, fixture->thread, program, 0);
	enter(fixture, F0, 10, 10);
	enter(fixture, F1, 14, 20);
	leave(fixture, 14, 20 + f1);
	enter(fixture, F2, 14, 20 + f1);
	leave(fixture, 14, 20 + f1 + f2);
	for (uint32_t i = 0; i < visits; i++) {
		synthetic_enter(fixture->synthetic, fixture->thread, *lock, 30 + i * wait);
		synthetic_leave(fixture->synthetic, fixture->thread, *lock, 30 + (i + 1) * wait);
	}
	leave(fixture, 10, 1000);
	put(fixture);
	synthetic_leave(fixture->synthetic, fixture->thread, program, 1050);
	load(fixture, 2000);
}

/* Of the node's children the one of the region; NULL. */
static const struct calltree_node *
child_of_region(const struct calltree *tree, const struct calltree_node *node, uint32_t region)
{
	uint32_t at = node->first_child;

	while (at != CALLTREE_NONE && tree->nodes[at].region != region)
		at = tree->nodes[at].next_sibling;
	return at == CALLTREE_NONE ? NULL : &tree->nodes[at];
}

/* The outermost function only calls: who waited is the one that has the time for it. */
static void test_a_wait_goes_where_it_fits(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	const struct calltree_node *node, *f1;
	uint32_t lock;

	(void)state;
	waiting(&fixture, &lock, 600, 350, 590, 1);
	node = &fixture.tree->nodes[fixture.tree->thread_root[fixture.thread]];
	node = &fixture.tree->nodes[node->first_child];
	assert_node(node, 1, 1050, 60);
	node = &fixture.tree->nodes[node->first_child];
	assert_int_equal(node->region, region_of(&fixture, F0));
	assert_node(node, 1, 990, 40);
	f1 = child_of_region(fixture.tree, node, region_of(&fixture, F1));
	assert_node(f1, 1, 600, 10);
	assert_node(child_of_region(fixture.tree, f1, lock), 1, 590, 590);
	fixture_free(&fixture);
}

/* No function has the time for all of it: several waited. */
static void test_a_wait_is_shared_out(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	const struct calltree_node *program, *f0, *part;
	double waited = 0;
	uint64_t visits = 0;
	uint32_t lock;

	(void)state;
	waiting(&fixture, &lock, 500, 400, 80, 11);
	program = &fixture.tree->nodes[fixture.tree->thread_root[fixture.thread]];
	program = &fixture.tree->nodes[program->first_child];
	assert_node(program, 1, 1050, 60);
	f0 = child_of_region(fixture.tree, program, region_of(&fixture, F0));
	assert_node(f0, 1, 990, 90);
	for (uint32_t i = 0; i < fixture.tree->node_count; i++) {
		part = &fixture.tree->nodes[i];
		if (part->region != lock)
			continue;
		waited += part->sum_ns;
		visits += part->count;
		assert_true(part->is_count_estimated && part->count_high == 11);
	}
	assert_true(waited == 880 && visits == 11);
	part = child_of_region(fixture.tree, f0, region_of(&fixture, F1));
	assert_node(part, 1, 500, 0);
	assert_true(child_of_region(fixture.tree, part, lock)->sum_ns == 500);
	fixture_free(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_a_part_of_the_program),
		cmocka_unit_test(test_others_go_below_the_outermost_function),
		cmocka_unit_test(test_a_wait_goes_where_it_fits),
		cmocka_unit_test(test_a_wait_is_shared_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
