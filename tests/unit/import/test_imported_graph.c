/* Call graphs as call paths of what is imported: times, calls and metrics keep their sums. */
#include "import/imported_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

#define FUNCTIONS 5

static void test_metrics_are_shared_as_times_are(void **state)
{
	struct imported_fixture fixture = {.status = KYMO_OK};
	struct imported *imported = &fixture.imported;
	struct graph_function functions[] = {
		{.count = 1, .self = 10, .total = 50},
		{.count = 4, .self = 40, .total = 40},
	};
	struct graph_call calls[] = {{.caller = 0, .callee = 1, .count = 4, .total = 40}};
	const double metrics[] = {7, 8};
	struct call_paths_graph graph = {functions, 2, calls, 1};
	uint32_t thread;

	(void)state;
	imported_init(imported);
	thread = imported_thread(imported, imported_process(imported, 0), 0);
	imported_metric(imported, SPAN("misses"), "");
	functions[0].region = imported_user(imported, "f");
	functions[1].region = imported_user(imported, "g");
	assert_int_equal(imported_graph_add(&graph, metrics, imported, thread), KYMO_OK);
	ASSERT_IMPORTED(&fixture, "f 1 10\nf;g 4 40\n");
	assert_true(imported->metrics[0].amounts[2].self == 7);
	assert_true(imported->metrics[0].amounts[3].self == 8);
	imported_release(imported);
}

static double sum_of(const struct imported *imported, uint32_t region, double *metric_out)
{
	double sum = 0;

	*metric_out = 0;
	for (uint32_t i = 1; i < imported->node_count; i++) {
		if (imported->nodes[i].region != region)
			continue;
		sum += imported->nodes[i].self_ns;
		if (i < imported->metrics[0].capacity)
			*metric_out += imported->metrics[0].amounts[i].self;
	}
	return sum;
}

/* Of any graph, recursions included, functions keep all that they have. */
static void test_functions_keep_what_they_have(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct imported imported;
		struct graph_function functions[FUNCTIONS] = {0};
		struct graph_call calls[8] = {0};
		double metrics[FUNCTIONS];
		struct call_paths_graph graph = {functions, FUNCTIONS, calls, 8};
		uint32_t thread;

		imported_init(&imported);
		thread = imported_thread(&imported, imported_process(&imported, 0), 0);
		imported_metric(&imported, SPAN("m"), "");
		for (int i = 0; i < FUNCTIONS; i++) {
			char name[2] = {(char)('a' + i), '\0'};

			functions[i] = (struct graph_function){imported_user(&imported, name), 1,
							       10 + i, 100 + i};
			metrics[i] = 1 + i;
		}
		for (int i = 0; i < 8; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1;
			calls[i].caller = (uint32_t)(seed >> 33) % FUNCTIONS;
			calls[i].callee = (uint32_t)(seed >> 43) % FUNCTIONS;
			calls[i].count = 1 + (seed >> 53) % 9;
			calls[i].total = (double)((seed >> 23) % 90);
			functions[calls[i].callee].count += calls[i].count;
		}
		assert_int_equal(imported_graph_add(&graph, metrics, &imported, thread), KYMO_OK);
		for (int i = 0; i < FUNCTIONS; i++) {
			double metric;
			double sum = sum_of(&imported, functions[i].region, &metric);

			assert_true(sum > 10 + i - 1e-6 && sum < 10 + i + 1e-6);
			assert_true(metric > 1 + i - 1e-6 && metric < 1 + i + 1e-6);
		}
		imported_release(&imported);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metrics_are_shared_as_times_are),
		cmocka_unit_test(test_functions_keep_what_they_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
