/* The call-path tree of counted functions: calls are exact, times estimates with intervals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "functions_fixture.h"
#include "model/tree/calltree_cost.h"
#include "model/tree/flat.h"

#define START UINT64_C(0x400000)
#define SIZE  0x100u

enum { MAIN, F, G, LEAF, OTHER, FUNCTIONS }; /* OTHER is not instrumented */

static struct fixture fixture_new(void)
{
	struct fixture fixture = {.synthetic = synthetic_new(KYMO_HEADER_PROFILE)};
	struct kymo_function_range places[FUNCTIONS];

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		places[i] = (struct kymo_function_range){
			SIZE * i, SIZE | (i == OTHER ? 0 : KYMO_FUNCTION_TAKEN)};
	synthetic_functions(fixture.synthetic, START, FIRST_ID, PATCH_COST_COUNTS, places,
			    FUNCTIONS);
	synthetic_module(fixture.synthetic, "/nowhere/app", NULL, START, START + 0x10000, START);
	fixture.thread = synthetic_thread(fixture.synthetic, KYMO_NO_THREAD, "main", 0);
	return fixture;
}

static void load(struct fixture *fixture, uint64_t end)
{
	synthetic_close(fixture->synthetic, end);
	fixture->recording = synthetic_open(fixture->synthetic);
	assert_int_equal(calltree_new(fixture->recording, &fixture->tree, NULL), KYMO_OK);
}

static void assert_node(const struct calltree_node *node, uint64_t count, double sum, double self)
{
	assert_non_null(node);
	assert_int_equal(node->count, count);
	assert_true(fabs(node->sum_ns - sum) < 1e-6 * sum + 1e-6);
	assert_true(fabs(node->self_ns - self) < 1e-6 * sum + 1e-6);
}

/* due calls when left is 0. */
static struct kymo_timed timed(uint32_t function, uint64_t due, struct kymo_timed_sums sums)
{
	return (struct kymo_timed){
		.id = FIRST_ID + function,
		.sampling_interval = 64,
		.due = due,
		.timed = sums.ended,
		.max = sums.ended ? sums.ticks / sums.ended : 0,
		.sums = sums,
	};
}

static struct kymo_timed_caller caller(uint32_t function, uint64_t from,
				       struct kymo_timed_sums sums)
{
	return (struct kymo_timed_caller){
		.id = FIRST_ID + function,
		.timed = (uint32_t)sums.ended,
		.return_address = from,
		.sums = sums,
	};
}

static uint64_t inside(uint32_t function)
{
	return START + SIZE * function + 5;
}

static struct kymo_timed_sums both(struct kymo_timed_sums a, struct kymo_timed_sums b)
{
	a.ended += b.ended;
	a.ticks += b.ticks;
	a.squares += b.squares;
	a.weights += b.weights;
	a.weighted_ticks += b.weighted_ticks;
	a.spread += b.spread;
	a.spread_ticks += b.spread_ticks;
	a.spread_squares += b.spread_squares;
	return a;
}

/* main calls f 100 times and g 10 times, both call leaf: f 64 times each, g not as often. */
static const struct calltree_estimate *estimate_of(const struct fixture *fixture, uint32_t function)
{
	const struct calltree *tree = fixture->tree;

	for (size_t i = 0; i < tree->estimated_count; i++)
		if (tree->estimated[i].caller == CALLTREE_NONE &&
		    tree->estimated[i].region == region_of(fixture, function))
			return &tree->estimated[i].estimate;
	fail_msg("nothing is estimated of function %u", function);
	return NULL;
}

static void test_paths_of_counts(void **state)
{
	struct fixture fixture = fixture_new();
	struct kymo_timed_sums of_f = synthetic_sums(100, 64, 10);
	struct kymo_timed_sums of_g = synthetic_sums(50, 64, 100);
	const uint32_t left[] = {0, 0, 5, UINT32_MAX}; /* -1 */
	const struct kymo_timed functions[] = {
		timed(MAIN, 1, synthetic_sums(1, 1, 1000000)),
		timed(LEAF, 9599, both(of_f, of_g)), /* the next one is late */
		timed(G, 15, synthetic_sums(10, 1, 40000)),
		timed(F, 100, synthetic_sums(100, 1, 1000)),
	};
	const struct kymo_timed_caller callers[] = {
		caller(LEAF, inside(F), synthetic_sums(60, 64, 10)),
		caller(LEAF, inside(G), of_g),
		caller(LEAF, inside(F) + 20, synthetic_sums(40, 64, 10)),
		caller(F, inside(MAIN), synthetic_sums(100, 1, 1000)),
		caller(G, inside(MAIN), synthetic_sums(10, 1, 40000)),
		caller(MAIN, 0x7f0000001000, synthetic_sums(1, 1, 1000000)),
	};
	const struct calltree_estimate *leaf;

	(void)state;
	synthetic_left(fixture.synthetic, fixture.thread, FIRST_ID, left, 4);
	synthetic_timed(fixture.synthetic, fixture.thread, functions, 2);
	synthetic_timed(fixture.synthetic, fixture.thread, functions + 2, 2);
	synthetic_callers(fixture.synthetic, fixture.thread, callers, 6);
	load(&fixture, 2000000);
	assert_int_equal(fixture.tree->dropped_count, 0);
	assert_int_equal(fixture.tree->call_count, 1 + 100 + 10 + 9600);
	assert_int_equal(fixture.tree->function_call_count, fixture.tree->call_count);
	assert_node(AT(&fixture, MAIN), 1, 1000000, 1000000 - 100000 - 400000);
	assert_node(AT(&fixture, MAIN, F), 100, 100000, 36000);
	assert_node(AT(&fixture, MAIN, G), 10, 400000, 80000);
	assert_node(AT(&fixture, MAIN, F, LEAF), 6400, 64000, 64000);
	assert_node(AT(&fixture, MAIN, G, LEAF), 3200, 320000, 320000);
	leaf = estimate_of(&fixture, LEAF);
	assert_true(leaf->is_known && leaf->self_ns == 384000);
	assert_true(leaf->total_below_ns > 0 && leaf->total_below_ns < leaf->total_ns / 3);
	assert_true(estimate_of(&fixture, MAIN)->total_above_ns == 0);
	assert_false(estimate_of(&fixture, F)->self_below_ns == 0);
	fixture_free(&fixture);
}

static void test_rows_have_intervals(void **state)
{
	struct fixture fixture = fixture_new();
	const struct kymo_timed functions[] = {
		timed(MAIN, 1, synthetic_sums(1, 1, 1000000)),
		timed(LEAF, 6400, synthetic_sums(100, 64, 100)),
	};
	const struct kymo_timed_caller callers[] = {
		caller(LEAF, inside(MAIN), synthetic_sums(100, 64, 100)),
	};
	struct flat *flat;

	(void)state;
	synthetic_timed(fixture.synthetic, fixture.thread, functions, 2);
	synthetic_callers(fixture.synthetic, fixture.thread, callers, 1);
	load(&fixture, 2000000);
	assert_int_equal(flat_new(fixture.tree, NULL, &flat), KYMO_OK);
	assert_int_equal(flat->row_count, 2);
	assert_true(flat->rows[0].estimate.is_known && flat->rows[1].estimate.is_known);
	/* What leaf may have taken less, main may have taken more. */
	assert_true(flat->rows[0].self_ns == 360000);
	assert_true(flat->rows[1].total_ns == 640000 && flat->rows[1].count == 6400);
	assert_true(flat->rows[0].estimate.self_above_ns == flat->rows[1].estimate.total_below_ns);
	flat_free(flat);
	fixture_free(&fixture);
}

/* Main called an event loop that is not instrumented, which called f: that is main's time. */
/* More than those that are only counted. */
static void test_timed_calls_cost_more(void **state)
{
	struct fixture fixture = fixture_new();
	const struct kymo_timed functions[] = {
		timed(MAIN, 1, synthetic_sums(1, 1, 1000000)),
		timed(LEAF, 6400, synthetic_sums(100, 64, 100)),
	};

	(void)state;
	synthetic_timed(fixture.synthetic, fixture.thread, functions, 2);
	load(&fixture, 1000000);
	assert_int_equal(fixture.tree->timed_call_count, 101);
	fixture.recording->functions->cost_ps = 500;
	fixture.recording->functions->timing_ticks = 0; /* not known */
	assert_true(fabs(calltree_functions_cost_ns(fixture.tree) - 6401 * 0.5) < 1e-6);
	fixture.recording->functions->timing_ticks = 30;
	assert_true(fabs(calltree_functions_cost_ns(fixture.tree) - 6401 * 0.5 - 101 * 4 * 30.) <
		    1e-6);
	fixture_free(&fixture);
}

static void test_called_back(void **state)
{
	struct fixture fixture = fixture_new();
	const struct kymo_timed functions[] = {
		timed(MAIN, 1, synthetic_sums(1, 1, 1000000)),
		timed(F, 10, synthetic_sums(10, 1, 90000)),
		timed(G, 4, synthetic_sums(4, 1, 10000)),
	};
	const struct kymo_timed_caller callers[] = {
		caller(F, 0x7f0000001000, synthetic_sums(10, 1, 90000)),
		caller(G, inside(OTHER), synthetic_sums(4, 1, 10000)),
	};

	(void)state;
	synthetic_timed(fixture.synthetic, fixture.thread, functions, 3);
	synthetic_callers(fixture.synthetic, fixture.thread, callers, 2);
	load(&fixture, 1000001);
	assert_node(AT(&fixture, MAIN), 1, 1000000, 60000);
	assert_node(AT(&fixture, MAIN, F), 10, 900000, 900000);
	assert_node(AT(&fixture, MAIN, G), 4, 40000, 40000);
	fixture_free(&fixture);
}

/* exit() was called: main never ended, and took at least what it called. */
static void test_calls_that_did_not_end(void **state)
{
	struct fixture fixture = fixture_new();
	struct kymo_timed functions[] = {
		timed(MAIN, 1, synthetic_sums(0, 1, 0)),
		timed(F, 10, synthetic_sums(10, 1, 900)),
	};
	const struct kymo_timed_caller callers[] = {
		caller(F, inside(MAIN), synthetic_sums(10, 1, 900)),
	};

	(void)state;
	functions[0].timed = 1;
	synthetic_timed(fixture.synthetic, fixture.thread, functions, 2);
	synthetic_callers(fixture.synthetic, fixture.thread, callers, 1);
	load(&fixture, 1000001);
	assert_node(AT(&fixture, MAIN), 1, 9000, 0);
	assert_node(AT(&fixture, MAIN, F), 10, 9000, 9000);
	fixture_free(&fixture);
}

static void test_damage_is_counted(void **state)
{
	struct fixture fixture = fixture_new();
	struct kymo_timed functions[] = {
		timed(MAIN, 3, synthetic_sums(3, 1, 100)),
		timed(OTHER, 3, synthetic_sums(3, 1, 100)), /* not instrumented */
		timed(5000, 3, synthetic_sums(3, 1, 100)),  /* no such function */
		timed(MAIN, 3, synthetic_sums(3, 1, 100)),  /* a second time */
		timed(F, 3, synthetic_sums(3, 1, 100)),
		timed(G, 3, synthetic_sums(3, 1, 100)), /* fewer are due than left */
	};
	const uint32_t left[] = {0, 0, 4};
	const struct kymo_timed_caller callers[] = {
		caller(F, inside(MAIN), synthetic_sums(10, 1, 900)),
		caller(G, inside(MAIN), synthetic_sums(10, 1, 900)),
	};

	(void)state;
	functions[4].sums.squares = NAN;
	synthetic_left(fixture.synthetic, fixture.thread, FIRST_ID, left, 3);
	synthetic_timed(fixture.synthetic, fixture.thread, functions, 6);
	synthetic_callers(fixture.synthetic, fixture.thread, callers, 2);
	load(&fixture, 1000001);
	assert_int_equal(fixture.tree->dropped_count, 5 + 2);
	assert_node(AT(&fixture, MAIN), 3, 300, 300);
	fixture_free(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths_of_counts),
		cmocka_unit_test(test_rows_have_intervals),
		cmocka_unit_test(test_timed_calls_cost_more),
		cmocka_unit_test(test_called_back),
		cmocka_unit_test(test_calls_that_did_not_end),
		cmocka_unit_test(test_damage_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
