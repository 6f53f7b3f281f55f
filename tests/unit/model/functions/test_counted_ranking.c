/* Which of two counted functions, or callers, takes longer is told. */
#include "counted_program_fixture.h"

static const struct counted_estimate *edge_total(const struct counted_calls *calls, uint32_t caller,
						 uint32_t callee)
{
	for (size_t i = 0; i < calls->edge_count; i++)
		if (calls->edges[i].caller == caller && calls->edges[i].callee == callee)
			return &calls->edges[i].total;
	return NULL;
}

static bool is_above(const struct counted_estimate *larger, const struct counted_estimate *smaller)
{
	return larger->value - larger->below > smaller->value + smaller->above;
}

/* In how many of RUNS what is twice as long is so without a doubt; and in all of them by value. */
static void assert_ranked(const struct kind *kind, uint32_t callers[2], uint32_t callees[2])
{
	uint32_t sure = 0, ranked = 0;

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct program program = {.seed = seed * 104729 + 7, .is_cheap = true};
		struct counted_function functions[FUNCTIONS];
		struct counted_edge edges[(FUNCTIONS + 1) * FUNCTIONS + 1];
		const struct counted_estimate *smaller, *larger;
		struct counted_calls calls;

		run(&program, kind);
		estimate(&program, functions, edges, &calls);
		smaller = edge_total(&calls, callers[0], callees[0]);
		larger = edge_total(&calls, callers[1], callees[1]);
		assert_non_null(smaller);
		assert_non_null(larger);
		ranked += larger->value > smaller->value;
		sure += is_above(larger, smaller);
	}
	print_message("%s: ranked in %u, without a doubt in %u of %u\n", kind->name, ranked, sure,
		      RUNS);
	assert_int_equal(ranked, RUNS);
	assert_true(sure * 10 >= RUNS * 9);
}

static void test_twice_as_long_is_told_apart_at_ten_thousand_calls(void **state)
{
	const struct kind functions = {.name = "two functions", .run = two_functions};
	const struct kind callers = {.name = "two callers", .run = two_callers};

	(void)state;
	assert_ranked(&functions, (uint32_t[2]){0, 0}, (uint32_t[2]){1, 2});
	assert_ranked(&callers, (uint32_t[2]){1, 2}, (uint32_t[2]){3, 3});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twice_as_long_is_told_apart_at_ten_thousand_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
