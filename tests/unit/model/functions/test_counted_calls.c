/* Estimated times of counted functions: what is known is exact, and no sums give nonsense. */
#include "model/functions/counted_calls.h"

#include "counted_program_fixture.h"

static void test_what_was_timed_is_exact(void **state)
{
	struct counted_function functions[2] = {
		{.calls = 1, .timed = 1, .sampling_interval = 64, .max = 1000},
		{.calls = 3, .timed = 3, .sampling_interval = 64, .max = 200},
	};
	struct counted_edge edge = {.caller = 0, .callee = 1};
	struct counted_calls calls = {
		.functions = functions, .function_count = 2, .edges = &edge, .edge_count = 1};

	(void)state;
	add_time(&functions[0].sums, 1, 1000);
	for (uint32_t i = 0; i < 3; i++) {
		add_time(&functions[1].sums, 1, 100 + 50 * i);
		add_time(&edge.sums, 1, 100 + 50 * i);
	}
	counted_calls_estimate(&calls);
	assert_true(functions[0].total.value == 1000 && functions[0].total.above == 0 &&
		    functions[0].total.below == 0);
	assert_true(functions[0].self.value == 550 && functions[0].self.above == 0 &&
		    functions[0].self.below == 0);
	assert_true(functions[1].self.value == 450);
	assert_true(edge.calls == 3 && edge.total.value == 450);
}

/* The processor was given to another process in a call that was chosen: that may have been so in
 * all that it stands for, but nothing says so, and nothing took longer than the whole. */
static void test_one_call_stands_out(void **state)
{
	struct counted_function function = {
		.calls = 64000, .sampling_interval = 64, .max = 1000000};
	struct counted_calls calls = {.functions = &function, .function_count = 1};

	(void)state;
	for (uint32_t i = 0; i < 999; i++)
		add_time(&function.sums, 64, 90 + i % 20);
	add_time(&function.sums, 64, 1000000);
	counted_calls_estimate(&calls);
	assert_true(fabs(function.total.value - (64000 * 99.5 + 1000000)) < 10000);
	assert_true(function.total.above > 63 * 1000000.0);
	assert_true(function.total.below < 200000);
	function =
		(struct counted_function){.calls = 64000, .sampling_interval = 64, .max = 1000000};
	for (uint32_t i = 0; i < 999; i++)
		add_time(&function.sums, 64, 90 + i % 20);
	add_time(&function.sums, 64, 1000000);
	calls.most = 10000000;
	counted_calls_estimate(&calls);
	assert_true(function.total.value + function.total.above <= 10000001);
	assert_true(fabs(function.total.value - (64000 * 99.5 + 1000000)) < 10000);
}

/* Calls that never ended say nothing of their time; what they called is not below nothing. */
static void test_calls_that_did_not_end(void **state)
{
	struct counted_function functions[2] = {
		{.calls = 1, .timed = 1, .sampling_interval = 64},
		{.calls = 1, .timed = 1, .sampling_interval = 64, .max = 10},
	};
	struct counted_edge edge = {.caller = 0, .callee = 1};
	struct counted_calls calls = {
		.functions = functions, .function_count = 2, .edges = &edge, .edge_count = 1};

	(void)state;
	add_time(&functions[1].sums, 1, 10);
	add_time(&edge.sums, 1, 10);
	counted_calls_estimate(&calls);
	assert_true(functions[0].total.value == 0 && functions[0].self.value == 0);
	assert_true(functions[0].self.below == 0 && functions[0].self.above == 0);
	assert_true(functions[1].total.value == 10);
}

/* All calls of long functions are timed, but for those of recursion that does little. */
static void test_long_calls_are_all_timed(void **state)
{
	const uint64_t length = INTERVAL_LONG_TIMES * 75;
	struct timing_tally thread = {.since = 1000};

	(void)state;
	assert_true(interval_is_long(&thread, 20, 20 * length, 75, 1000 + 20 * length));
	assert_false(interval_is_long(&thread, 20, 20 * length - 1, 75, 1000 + 20 * length));
	thread.of_long = 20;
	assert_false(interval_is_long(&thread, 20, 20 * length, 75, 1000 + 20 * length));
	assert_false(interval_is_long(&thread, 0, 0, 75, 1000 + 99 * length));
	assert_false(interval_is_long(&thread, 20, 20 * length, 0, 1000 + 99 * length));
}

/* Sums that were damaged give some number, no nonsense. */
static void test_any_sums(void **state)
{
	struct program random = {.seed = 5};

	(void)state;
	for (uint32_t round = 0; round < 20000; round++) {
		struct counted_function functions[3] = {0};
		struct counted_edge edges[5] = {0};
		struct counted_calls calls = {.functions = functions,
					      .function_count = 3,
					      .edges = edges,
					      .edge_count = 5};

		for (uint32_t i = 0; i < 3; i++) {
			double size = uniform(&random) < 0.5 ? 1e3 : 1e18;

			functions[i].calls = (uint64_t)(uniform(&random) * size);
			functions[i].sampling_interval = (uint32_t)(uniform(&random) * 100);
			functions[i].max = (uint64_t)(uniform(&random) * size);
			add_time(&functions[i].sums, uniform(&random) * 64,
				 (uint64_t)(uniform(&random) * size));
			functions[i].sums.ended = (uint64_t)(uniform(&random) * 3);
			functions[i].sums.spread *= uniform(&random);
		}
		for (uint32_t i = 0; i < 5; i++) {
			edges[i].caller =
				i == 4 ? COUNTED_OUTSIDE : (uint32_t)(uniform(&random) * 3);
			edges[i].callee = (uint32_t)(uniform(&random) * 3);
			add_time(&edges[i].sums, uniform(&random) * 64,
				 (uint64_t)(uniform(&random) * 1e4));
		}
		counted_calls_estimate(&calls);
		for (uint32_t i = 0; i < 3; i++) {
			assert_true(functions[i].self.value >= 0 && functions[i].self.below >= 0 &&
				    functions[i].self.above >= 0);
			assert_true(functions[i].total.value >= 0 &&
				    isfinite(functions[i].total.value));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_timed_is_exact),
		cmocka_unit_test(test_one_call_stands_out),
		cmocka_unit_test(test_calls_that_did_not_end),
		cmocka_unit_test(test_long_calls_are_all_timed),
		cmocka_unit_test(test_any_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
