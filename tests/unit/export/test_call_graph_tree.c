/* Call trees as graphs: time counts once however often a function is open. */
#include "export/call_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "export/call_graph_tree.h"
#include "model/recording/recording_open.h"
#include "synthetic.h"

struct fixture {
	struct synthetic *made;
	struct recording *recording;
	struct calltree *tree;
	struct call_graph graph;
};

/* f (100) calls f (60), which calls g (20). */
static void set_up(struct fixture *fixture)
{
	uint32_t f, g, thread;

	*fixture = (struct fixture){.made = synthetic_new(KYMO_HEADER_PROFILE)};
	f = synthetic_region(fixture->made, KYMO_REGION_USER, "f");
	g = synthetic_region(fixture->made, KYMO_REGION_USER, "g");
	thread = synthetic_thread(fixture->made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(fixture->made, thread, f, 0);
	synthetic_enter(fixture->made, thread, f, 10);
	synthetic_enter(fixture->made, thread, g, 20);
	synthetic_leave(fixture->made, thread, g, 40);
	synthetic_leave(fixture->made, thread, f, 70);
	synthetic_leave(fixture->made, thread, f, 100);
	synthetic_close(fixture->made, 100);
	fixture->recording = synthetic_open(fixture->made);
	assert_int_equal(calltree_new(fixture->recording, &fixture->tree, NULL), KYMO_OK);
}

static void tear_down(struct fixture *fixture)
{
	call_graph_release(&fixture->graph);
	calltree_free(fixture->tree);
	recording_free(fixture->recording);
	synthetic_free(fixture->made);
}

static void add(struct fixture *fixture, const struct call_graph_input *part)
{
	struct call_graph_input of = *part;
	struct call_graph_tree *tree;

	of.tree = fixture->tree;
	tree = call_graph_tree_new(&of);
	call_graph_add(&fixture->graph, tree, 0, "T");
	call_graph_tree_free(tree);
	call_graph_sort(&fixture->graph);
}

static void test_recursion_counts_once(void **state)
{
	const struct call_graph_input part = {0};
	struct fixture fixture;
	const struct graph_function *f;

	(void)state;
	set_up(&fixture);
	add(&fixture, &part);
	f = &fixture.graph.functions[0];
	assert_string_equal(f->name, "f");
	assert_int_equal(f->count, 2);
	assert_int_equal(f->total, 100);
	assert_int_equal(f->self, 80);
	assert_int_equal(fixture.graph.call_count, 2);
	assert_int_equal(fixture.graph.calls[0].callee, 0);
	assert_int_equal(fixture.graph.calls[0].total, 60);
	assert_int_equal(fixture.graph.calls[0].outermost, 0); /* f was open already */
	assert_int_equal(fixture.graph.calls[1].total, 20);
	assert_int_equal(fixture.graph.calls[1].outermost, 20);
	tear_down(&fixture);
}

static void test_what_is_not_shown_is_its_callers(void **state)
{
	const struct call_graph_input part = {.regions = (const bool[]){false, true, false}};
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	add(&fixture, &part);
	assert_int_equal(fixture.graph.function_count, 1);
	assert_int_equal(fixture.graph.functions[0].self, 100);
	assert_int_equal(fixture.graph.call_count, 1);
	tear_down(&fixture);
}

static void test_threads_as_functions(void **state)
{
	const struct call_graph_input part = {.has_roots = true};
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	add(&fixture, &part);
	assert_string_equal(fixture.graph.functions[0].name, "T");
	assert_int_equal(fixture.graph.functions[0].self, 0);
	assert_int_equal(fixture.graph.functions[0].total, 100);
	assert_int_equal(fixture.graph.calls[0].caller, 0);
	assert_int_equal(fixture.graph.calls[0].total, 100);
	tear_down(&fixture);
}

/* Counts of samples hold those of callees: two of f's are g's. */
static void test_samples_are_inclusive(void **state)
{
	const struct call_graph_input part = {.is_sampled = true};
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	fixture.tree->nodes[1].count = 5;
	fixture.tree->nodes[2].count = 4;
	fixture.tree->nodes[3].count = 2;
	add(&fixture, &part);
	assert_int_equal(fixture.graph.functions[0].count, 5);
	assert_int_equal(fixture.graph.functions[1].count, 2);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recursion_counts_once),
		cmocka_unit_test(test_what_is_not_shown_is_its_callers),
		cmocka_unit_test(test_threads_as_functions),
		cmocka_unit_test(test_samples_are_inclusive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
