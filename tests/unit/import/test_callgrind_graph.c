/* Call graphs of callgrind files, and the call paths made of them. */
#include "import/formats/callgrind_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

static uint32_t function(struct callgrind_graph *graph, const char *file, const char *name)
{
	return callgrind_function(graph, span_of("app"), span_of(file), span_of(name));
}

static void test_functions_are_found_again_by_all_three(void **state)
{
	struct callgrind_graph graph = {0};
	uint32_t f;

	(void)state;
	f = function(&graph, "a.c", "f");
	assert_int_equal(function(&graph, "a.c", "f"), f);
	assert_int_not_equal(function(&graph, "b.c", "f"), f);
	assert_int_not_equal(function(&graph, "a.c", "g"), f);
	assert_int_not_equal(
		callgrind_function(&graph, span_of("lib"), span_of("a.c"), span_of("f")), f);
	/* Where one ends and the other begins counts. */
	assert_int_not_equal(function(&graph, "ab", "c"), function(&graph, "a", "bc"));
	assert_int_equal(graph.function_count, 6);
	callgrind_graph_release(&graph);
}

static void finish(struct imported_fixture *fixture, struct callgrind_graph *graph,
		   bool has_thread_roots)
{
	*fixture = (struct imported_fixture){.status = KYMO_OK};
	imported_init(&fixture->imported);
	assert_int_equal(callgrind_graph_finish(graph, &fixture->imported, has_thread_roots),
			 KYMO_OK);
	callgrind_graph_release(graph);
}

static void call(struct callgrind_graph *graph, uint32_t caller, uint32_t callee, uint64_t count,
		 double total)
{
	const struct graph_call added = {
		.caller = caller, .callee = callee, .count = count, .total = total};

	assert_true(callgrind_call(graph, &added));
}

/* leaf costs 12, three quarters of it for g. */
static void test_costs_are_shared_by_callers(void **state)
{
	struct callgrind_graph graph = {.pid = 5, .thread = 6};
	struct imported_fixture fixture;
	uint32_t f = function(&graph, "a.py", "f"), g = function(&graph, "???", "g"),
		 leaf = function(&graph, "a.py", "leaf");

	(void)state;
	graph.functions[f].costs[0] = 1;
	graph.functions[g].costs[0] = 2;
	graph.functions[leaf].costs[0] = 12;
	graph.functions[leaf].line = 7;
	call(&graph, f, leaf, 1, 3);
	call(&graph, g, leaf, 5, 9);
	finish(&fixture, &graph, false);
	ASSERT_IMPORTED(&fixture, "f 1 1\ng 1 2\ng;leaf 5 9\nf;leaf 1 3\n");
	assert_int_equal(fixture.imported.processes[1].pid, 5);
	assert_int_equal(fixture.imported.threads[1].system_id, 6);
	assert_int_equal(fixture.imported.regions[1].kind, KYMO_REGION_PYTHON);
	assert_int_equal(fixture.imported.regions[2].kind, KYMO_REGION_NATIVE);
	assert_int_equal(fixture.imported.regions[2].file.size, 0);
	assert_int_equal(fixture.imported.regions[3].line, 7);
	imported_fixture_release(&fixture);
}

/* Kymo's own files: what begins a thread is its name. */
static void test_roots_are_threads(void **state)
{
	struct callgrind_graph graph = {.thread = 6};
	struct imported_fixture fixture;
	uint32_t root = function(&graph, "", "MainThread"), f = function(&graph, "a.py", "f");

	(void)state;
	graph.functions[f].costs[0] = 4;
	call(&graph, root, f, 3, 4);
	finish(&fixture, &graph, true);
	ASSERT_IMPORTED(&fixture, "f 3 4\n");
	assert_string_equal(fixture.imported.threads[1].name, "MainThread");
	imported_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_are_found_again_by_all_three),
		cmocka_unit_test(test_costs_are_shared_by_callers),
		cmocka_unit_test(test_roots_are_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
