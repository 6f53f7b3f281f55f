/* Functions and calls of a graph are the same by what they are, wherever they come from. */
#include "export/call_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static uint32_t function(struct call_graph *graph, const char *name, const char *file,
			 uint32_t line)
{
	const struct region region = {
		.kind = KYMO_REGION_PYTHON, .name = name, .file = file, .line = line};

	return call_graph_function(graph, &region);
}

static void test_functions_by_name_file_and_line(void **state)
{
	struct call_graph graph = {0};
	char copy[] = "f";
	uint32_t f = function(&graph, "f", "a.py", 3);

	(void)state;
	assert_int_equal(function(&graph, copy, "a.py", 3), f);
	assert_int_not_equal(function(&graph, "f", "a.py", 4), f);
	assert_int_not_equal(function(&graph, "f", "b.py", 3), f);
	assert_int_not_equal(function(&graph, "g", "a.py", 3), f);
	assert_int_not_equal(function(&graph, "f", NULL, 0), f);
	assert_int_equal(graph.function_count, 5);
	/* Of the same name and file a reader must be told the line; of a file who has it first. */
	assert_false(graph.functions[0].is_namesake);
	assert_true(graph.functions[1].is_namesake);
	assert_false(graph.functions[2].is_namesake);
	assert_int_equal(graph.functions[3].file_owner, 0);
	assert_int_equal(graph.functions[2].file_owner, 2);
	assert_int_equal(call_graph_root(&graph, "T"), call_graph_root(&graph, "T"));
	assert_int_not_equal(call_graph_root(&graph, "T"), call_graph_root(&graph, "U"));
	call_graph_release(&graph);
}

static void test_lines_are_costs_of_one_function(void **state)
{
	struct call_graph graph = {.has_lines = true};
	const struct region line = {.kind = KYMO_REGION_PYTHON,
				    .name = "f",
				    .file = "a.py",
				    .line = 4,
				    .flags = REGION_IS_LINE},
			    next = {.kind = KYMO_REGION_PYTHON,
				    .name = "f",
				    .file = "a.py",
				    .line = 5,
				    .flags = REGION_IS_LINE};
	uint32_t f = call_graph_function(&graph, &line);

	(void)state;
	assert_int_equal(call_graph_function(&graph, &next), f);
	assert_int_equal(graph.functions[f].line, 0);
	call_graph_cost(&graph, f, 4)->self += 10;
	call_graph_cost(&graph, f, 3)->self += 1;
	call_graph_cost(&graph, f, 4)->self += 100;
	call_graph_sort(&graph);
	assert_int_equal(graph.cost_count, 2);
	assert_int_equal(graph.costs[0].line, 3);
	assert_int_equal(graph.costs[1].self, 110);
	call_graph_release(&graph);
}

/* Any number of calls in any order: sorted, each once, with all that was added to it. */
static void test_calls_are_sorted_and_once(void **state)
{
	struct call_graph graph = {0};
	uint64_t sums[8][8] = {{0}};
	uint64_t seed = 5;

	(void)state;
	for (int i = 0; i < 8; i++)
		function(&graph, (char[]){(char)('a' + i), '\0'}, "a.py", 1);
	for (int i = 0; i < 500; i++) {
		uint32_t caller, callee, call;

		seed = seed * UINT64_C(6364136223846793005) + 1;
		caller = (uint32_t)(seed >> 40) % 8;
		callee = (uint32_t)(seed >> 50) % 8;
		call = call_graph_call(&graph, caller, 0, callee);
		graph.calls[call].count++;
		sums[caller][callee]++;
	}
	call_graph_sort(&graph);
	for (size_t i = 0; i < graph.call_count; i++) {
		const struct graph_call *call = &graph.calls[i];

		assert_int_equal(call->count, sums[call->caller][call->callee]);
		if (i)
			assert_true(call[-1].caller * 8 + call[-1].callee <
				    call->caller * 8 + call->callee);
	}
	call_graph_clear(&graph);
	assert_int_equal(graph.call_count, 0);
	assert_int_equal(graph.function_count, 8);
	assert_int_equal(function(&graph, "c", "a.py", 1), 2);
	assert_int_equal(call_graph_call(&graph, 1, 0, 2), 0);
	call_graph_release(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_by_name_file_and_line),
		cmocka_unit_test(test_lines_are_costs_of_one_function),
		cmocka_unit_test(test_calls_are_sorted_and_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
