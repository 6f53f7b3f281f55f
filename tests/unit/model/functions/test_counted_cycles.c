/* Circles of calls, against what can be reached from where. */
#include "model/functions/counted_cycles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 24

static uint64_t seed = 7;

static uint32_t random_below(uint32_t limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % limit;
}

static struct counted_calls calls_of(struct counted_edge *edges, size_t count, uint32_t functions)
{
	return (struct counted_calls){
		.function_count = functions, .edges = edges, .edge_count = count};
}

/* Two are in one circle when each leads to the other. */
static void check(const struct counted_calls *calls)
{
	bool reaches[MOST][MOST] = {{false}};
	uint32_t count = calls->function_count, *circles = counted_cycles(calls);

	assert_non_null(circles);
	for (uint32_t i = 0; i < count; i++)
		reaches[i][i] = true;
	for (size_t i = 0; i < calls->edge_count; i++)
		if (calls->edges[i].caller != COUNTED_OUTSIDE)
			reaches[calls->edges[i].caller][calls->edges[i].callee] = true;
	for (uint32_t via = 0; via < count; via++)
		for (uint32_t a = 0; a < count; a++)
			for (uint32_t b = 0; b < count; b++)
				reaches[a][b] |= reaches[a][via] && reaches[via][b];
	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = 0; b < count; b++)
			assert_int_equal(circles[a] == circles[b], reaches[a][b] && reaches[b][a]);
	free(circles);
}

static void test_any_graph(void **state)
{
	struct counted_edge edges[3 * MOST] = {{0}};

	(void)state;
	for (int round = 0; round < 3000; round++) {
		uint32_t functions = 1 + random_below(MOST);
		size_t count = random_below(3 * MOST);
		struct counted_calls calls = calls_of(edges, count, functions);

		for (size_t i = 0; i < count; i++) {
			edges[i].caller =
				random_below(10) ? random_below(functions) : COUNTED_OUTSIDE;
			edges[i].callee = random_below(functions);
		}
		check(&calls);
	}
}

static void test_nothing(void **state)
{
	struct counted_calls calls = calls_of(NULL, 0, 0);
	uint32_t *circles = counted_cycles(&calls);

	(void)state;
	assert_non_null(circles);
	free(circles);
	assert_int_equal(counted_cycles_estimate(&calls), KYMO_OK);
}

/* As deep as no stack of the machine is. */
static void test_a_long_chain(void **state)
{
	const uint32_t count = 1000000;
	struct counted_edge *edges = calloc(count, sizeof(*edges));
	struct counted_calls calls = calls_of(edges, count, count);
	uint32_t *circles;

	(void)state;
	for (uint32_t i = 0; i < count; i++) {
		edges[i].caller = i;
		edges[i].callee = (i + 1) % count;
	}
	circles = counted_cycles(&calls);
	for (uint32_t i = 1; i < count; i++)
		assert_true(circles[i] == circles[0]);
	free(circles);
	calls.edge_count--; /* open */
	circles = counted_cycles(&calls);
	assert_true(circles[0] != circles[count - 1]);
	free(circles);
	free(edges);
}

/* Two call each other; from outside they were called for 10: neither took longer. */
static void test_no_longer_than_the_calls_from_outside(void **state)
{
	struct counted_function functions[3] = {0};
	struct counted_edge edges[3] = {
		{.caller = COUNTED_OUTSIDE, .callee = 0, .total = {.value = 10}},
		{.caller = 0, .callee = 1, .total = {.value = 80}},
		{.caller = 1, .callee = 0, .total = {.value = 70}},
	};
	struct counted_calls calls = calls_of(edges, 3, 3);

	(void)state;
	calls.functions = functions;
	functions[0].total.value = 80;
	functions[1].total.value = 80;
	functions[1].self.value = 4;
	functions[2].total.value = 99; /* in no circle */
	assert_int_equal(counted_cycles_estimate(&calls), KYMO_OK);
	assert_true(functions[0].total.value == 10 && functions[1].total.value == 10);
	assert_true(functions[0].total.below == 0 && functions[0].total.above == 0);
	assert_true(functions[1].total.below == 6); /* at least its own time */
	assert_true(functions[2].total.value == 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_graph),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_a_long_chain),
		cmocka_unit_test(test_no_longer_than_the_calls_from_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
