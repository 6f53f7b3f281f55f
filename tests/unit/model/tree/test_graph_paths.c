/* Call paths from call graphs: whatever the graph is, calls, own times and metrics of functions
 * and of their callers add up; without circles, times with callees do, too. */
#include "import/imported_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 12
#define ROUNDS	  400

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

struct truth { /* a program that ran: what a profiler says of it */
	struct graph_function functions[FUNCTIONS];
	struct graph_call calls[FUNCTIONS * FUNCTIONS];
	uint32_t open[FUNCTIONS];
	uint32_t open_calls[FUNCTIONS * FUNCTIONS];
	double metrics[FUNCTIONS];
};

/* Runs function, which calls others; the time it took.  limit: the lowest function it may call,
 * which rules out circles. */
static double run(struct truth *truth, uint32_t caller, uint32_t function, unsigned int depth,
		  bool may_circle)
{
	struct graph_function *row = &truth->functions[function];
	struct graph_call *call = &truth->calls[caller * FUNCTIONS + function];
	double own = 1 + random_below(1000), total = own;

	row->count++;
	row->self += own;
	truth->metrics[function] += 7;
	truth->open[function]++;
	if (caller != function || depth > 0) {
		call->count++;
		call->self += own;
		truth->open_calls[caller * FUNCTIONS + function]++;
	}
	for (uint32_t i = random_below(4); i > 0 && depth < 6; i--) {
		uint32_t first = may_circle ? 1 : function;
		uint32_t callee = first + random_below(FUNCTIONS - first);

		total += run(truth, function, callee, depth + 1, may_circle);
	}
	if (--truth->open[function] == 0)
		row->total += total;
	if ((caller != function || depth > 0) &&
	    --truth->open_calls[caller * FUNCTIONS + function] == 0)
		call->total += total;
	return total;
}

struct found { /* the same of the paths */
	uint64_t counts[FUNCTIONS], call_counts[FUNCTIONS][FUNCTIONS];
	double selves[FUNCTIONS], call_selves[FUNCTIONS][FUNCTIONS];
	double totals[FUNCTIONS], metrics[FUNCTIONS];
};

static bool is_inside_itself(const struct imported *imported, uint32_t node)
{
	uint32_t region = imported->nodes[node].region;

	for (node = imported->nodes[node].parent; node; node = imported->nodes[node].parent) {
		if (imported->nodes[node].region == region)
			return true;
	}
	return false;
}

static void add_up(const struct imported *imported, struct found *found)
{
	double *totals = calloc(imported->node_count, sizeof(*totals));

	for (uint32_t i = (uint32_t)imported->node_count - 1; i > 0; i--) {
		const struct imported_node *node = &imported->nodes[i];
		uint32_t function = node->region - 1;
		uint32_t caller = imported->nodes[node->parent].region;

		totals[i] += node->self_ns;
		totals[node->parent] += totals[i];
		if (!node->region)
			continue;
		found->counts[function] += node->count;
		found->selves[function] += node->self_ns;
		if (imported->metric_count && i < imported->metrics[0].capacity)
			found->metrics[function] += imported->metrics[0].amounts[i].self;
		if (!is_inside_itself(imported, i))
			found->totals[function] += totals[i];
		if (!caller)
			continue;
		found->call_counts[caller - 1][function] += node->count;
		found->call_selves[caller - 1][function] += node->self_ns;
	}
	free(totals);
}

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-6 + 1e-9 * fabs(expected))
		fail_msg("%.9f is not %.9f", value, expected);
}

static void name_functions(struct imported *imported, struct truth *truth)
{
	char name[FUNCTIONS][4];

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct imported_function function = {.kind = KYMO_REGION_PYTHON};

		snprintf(name[i], sizeof(name[i]), "f%u", i);
		function.name = (struct span){name[i], strlen(name[i])};
		truth->functions[i].region = imported_region(imported, &function);
		assert_int_equal(truth->functions[i].region, i + 1);
	}
}

static void make(struct truth *truth, struct imported *imported, bool has_metrics)
{
	struct call_paths_graph graph = {.functions = truth->functions,
					 .function_count = FUNCTIONS};
	struct graph_call calls[FUNCTIONS * FUNCTIONS];
	uint32_t thread;

	imported_init(imported);
	name_functions(imported, truth);
	if (has_metrics)
		imported_metric(imported, SPAN("misses"), "");
	for (uint32_t i = 0; i < FUNCTIONS * FUNCTIONS; i++) {
		truth->calls[i].caller = i / FUNCTIONS;
		truth->calls[i].callee = i % FUNCTIONS;
		truth->calls[i].has_self = true;
		if (truth->calls[i].count)
			calls[graph.call_count++] = truth->calls[i];
	}
	graph.calls = calls;
	thread = imported_thread(imported, imported_process(imported, 0), 0);
	assert_int_equal(
		imported_graph_add(&graph, has_metrics ? truth->metrics : NULL, imported, thread),
		KYMO_OK);
}

static void check(const struct truth *truth, const struct imported *imported, bool has_metrics)
{
	struct found found = {0};

	add_up(imported, &found);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		assert_int_equal(found.counts[i], truth->functions[i].count);
		assert_near(found.selves[i], truth->functions[i].self);
		if (has_metrics)
			assert_near(found.metrics[i], truth->metrics[i]);
		for (uint32_t k = 0; k < FUNCTIONS; k++) {
			const struct graph_call *call = &truth->calls[i * FUNCTIONS + k];

			assert_int_equal(found.call_counts[i][k], call->count);
			assert_near(found.call_selves[i][k], call->self);
		}
	}
}

static void check_totals(const struct truth *truth, const struct imported *imported)
{
	struct found found = {0};

	add_up(imported, &found);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		assert_near(found.totals[i], truth->functions[i].total);
}

static void test_sums_are_those_of_the_graph(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct truth truth = {0};
		struct imported imported;
		bool may_circle = round % 2;

		run(&truth, 0, 0, 0, may_circle);
		make(&truth, &imported, round % 3 == 0);
		check(&truth, &imported, round % 3 == 0);
		if (!may_circle)
			check_totals(&truth, &imported);
		imported_release(&imported);
	}
}

/* Two functions that call each other, and nothing calls them. */
static void test_a_circle_without_an_outside(void **state)
{
	struct truth truth = {0};
	struct imported imported;

	(void)state;
	truth.functions[3] = (struct graph_function){.count = 5, .self = 50, .total = 90};
	truth.functions[4] = (struct graph_function){.count = 4, .self = 40, .total = 80};
	truth.calls[3 * FUNCTIONS + 4] = (struct graph_call){.count = 4, .self = 40, .total = 80};
	truth.calls[4 * FUNCTIONS + 3] = (struct graph_call){.count = 5, .self = 50, .total = 70};
	make(&truth, &imported, false);
	check(&truth, &imported, false);
	imported_release(&imported);
}

/* Each of twenty layers calls both functions of the next one: a million paths, and more than
 * that may not come of it. */
static void test_paths_are_bounded(void **state)
{
	enum { LAYERS = 40 };
	static struct graph_function functions[2 * LAYERS];
	static struct graph_call calls[4 * LAYERS];
	struct call_paths_graph graph = {
		.functions = functions, .function_count = 2 * LAYERS, .calls = calls};
	struct imported imported;
	uint64_t counts[2 * LAYERS + 1] = {0};
	uint32_t thread;

	(void)state;
	imported_init(&imported);
	for (uint32_t i = 0; i < 2 * LAYERS; i++) {
		char name[16];
		struct imported_function function = {.kind = KYMO_REGION_NATIVE};

		snprintf(name, sizeof(name), "f%u", i);
		function.name = (struct span){name, strlen(name)};
		functions[i] = (struct graph_function){
			.region = imported_region(&imported, &function), .count = 1000, .self = 1};
		functions[i].total = LAYERS - i / 2;
	}
	for (uint32_t i = 0; i + 2 < 2 * LAYERS; i++) {
		for (uint32_t k = 0; k < 2; k++)
			calls[graph.call_count++] =
				(struct graph_call){.caller = i,
						    .callee = (i / 2 + 1) * 2 + k,
						    .count = 500,
						    .self = 0.5,
						    .total = (LAYERS - i / 2 - 1) / 2.0,
						    .has_self = true};
	}
	thread = imported_thread(&imported, imported_process(&imported, 0), 0);
	assert_int_equal(imported_graph_add(&graph, NULL, &imported, thread), KYMO_OK);
	assert_true(imported.node_count <= GRAPH_NODES_MAX + 4 * LAYERS + 2);
	for (size_t i = 1; i < imported.node_count; i++)
		counts[imported.nodes[i].region] += imported.nodes[i].count;
	for (uint32_t i = 1; i <= 2 * LAYERS; i++)
		assert_int_equal(counts[i], 1000);
	imported_release(&imported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_are_those_of_the_graph),
		cmocka_unit_test(test_a_circle_without_an_outside),
		cmocka_unit_test(test_paths_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
