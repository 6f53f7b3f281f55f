/* Whose calls a function's were. */
#include "model/functions/counted_callers.h"

#include "counted_fixture.h"

/* Timing took fifteen ticks more than was taken off: a caller whose time is exact tells so, and
 * neither its callee nor what that calls is blamed. */
static void test_exact_callers_tell_what_timing_took(void **state)
{
	enum { CALLS = 64000, MIDDLE = 150, LEAF = 50, MORE = 15 };
	struct counted_function functions[3] = {
		{.calls = 1, .timed = 1, .sampling_interval = 1},
		{.calls = CALLS, .timed = 1000, .sampling_interval = 64, .max = MIDDLE + MORE},
		{.calls = CALLS, .timed = 1000, .sampling_interval = 64, .max = LEAF + MORE},
	};
	struct counted_edge edges[3] = {
		{.caller = COUNTED_OUTSIDE, .callee = 0, .timed = 1},
		{.caller = 0, .callee = 1, .timed = 1000},
		{.caller = 1, .callee = 2, .timed = 1000},
	};
	struct counted_calls calls = {
		.functions = functions,
		.function_count = 3,
		.edges = edges,
		.edge_count = 3,
		.timing = 30,
		.most = CALLS * MIDDLE,
	};

	(void)state;
	add_time(&functions[0].sums, 1, CALLS * MIDDLE);
	for (uint32_t i = 0; i < 1000; i++) {
		add_time(&functions[1].sums, 64, MIDDLE + MORE);
		add_time(&functions[2].sums, 64, LEAF + MORE);
	}
	for (uint32_t i = 0; i < 3; i++)
		edges[i].sums = functions[i].sums;
	counted_calls_estimate(&calls);
	assert_int_equal(counted_flow_estimate(&calls), KYMO_OK);
	assert_true(fabs(functions[1].self.value / CALLS - (MIDDLE - LEAF)) < 1);
	assert_true(fabs(functions[2].self.value / CALLS - LEAF) < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_callers_tell_what_timing_took),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
