/* Intervals of estimated times hold the truth, in simulated programs of every kind. */
#include "counted_program_fixture.h"

static uint64_t lognormal(struct program *program, double median, double sigma)
{
	double normal = sqrt(-2 * log(uniform(program))) * cos(2 * M_PI * uniform(program));

	return (uint64_t)(median * exp(sigma * normal));
}

static void constant(struct program *program)
{
	for (uint32_t i = 0; i < 20000; i++) {
		leaf(program, 0, 1, 100);
		program->now += 7;
	}
}

static void exponentials(struct program *program)
{
	for (uint32_t i = 0; i < 8000; i++) {
		struct visit visit = enter(program, 0, 1);

		for (uint32_t k = 0; k < 3; k++)
			leaf(program, 1, 2, exponential(program, 200));
		program->now += exponential(program, 1000);
		leave(program, &visit);
	}
}

static void lognormals(struct program *program)
{
	for (uint32_t i = 0; i < 20000; i++) {
		struct visit visit = enter(program, 0, 1);

		leaf(program, 1, 2, lognormal(program, 500, 1));
		program->now += 20 + exponential(program, 100);
		leave(program, &visit);
	}
}

/* Short for one caller and long for the other, which calls it rarely. */
static void bimodal(struct program *program)
{
	for (uint32_t i = 0; i < 30000; i++) {
		uint32_t caller = uniform(program) < 0.2 ? 2 : 1;
		struct visit visit = enter(program, 0, caller);

		leaf(program, caller, 3, exponential(program, caller == 2 ? 5000 : 50));
		program->now += 100;
		leave(program, &visit);
	}
}

static void recurse(struct program *program, uint32_t caller, uint32_t depth)
{
	struct visit visit = enter(program, caller, 1);

	program->now += 50 + exponential(program, 100);
	for (uint32_t i = 0; i < 2 && depth > 0; i++)
		if (uniform(program) < 0.9)
			recurse(program, 1, depth - 1);
	leaf(program, 1, 2, 10 + exponential(program, 30));
	leave(program, &visit);
}

static void recursive(struct program *program)
{
	for (uint32_t i = 0; i < 300; i++)
		recurse(program, 0, 7);
}

/* The first calls fill caches and tables. */
static void slow_beginning(struct program *program)
{
	for (uint32_t i = 0; i < 20000; i++)
		leaf(program, 0, 1,
		     (i == 0   ? 10000000
		      : i < 40 ? 20000
			       : 100) +
			     exponential(program, 40));
}

/* One in a hundred takes a hundred times as long. */
static void outliers(struct program *program)
{
	for (uint32_t i = 0; i < 60000; i++)
		leaf(program, 0, 1, exponential(program, uniform(program) < 0.01 ? 20000 : 200));
}

/* Alternating, in steps of the sampling itself. */
static void periodic(struct program *program)
{
	for (uint32_t i = 0; i < 40000; i++)
		leaf(program, 0, 1, i % 32 == 0 ? 5000 : 100);
}

/* Slower and slower. */
static void drifting(struct program *program)
{
	for (uint32_t i = 0; i < 30000; i++)
		leaf(program, 0, 1, 100 + i / 10 + exponential(program, 300));
}

/* Called a little more often than is always timed. */
static void few_calls(struct program *program)
{
	for (uint32_t i = 0; i < 180; i++)
		leaf(program, 0, 1, 500 + exponential(program, 1000));
}

/* Two callers of many, of which one is hardly ever seen. */
static void rare_caller(struct program *program)
{
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t caller = i % 400 == 399 ? 2 : 1;
		struct visit visit = enter(program, 0, caller);

		leaf(program, caller, 3, 300 + exponential(program, 300));
		program->now += 50;
		leave(program, &visit);
	}
}

static void wander(struct program *program, double odds[FUNCTIONS][FUNCTIONS], uint32_t caller,
		   uint32_t callee)
{
	struct visit visit = enter(program, caller, callee);

	program->now += exponential(program, 30 << (2 * callee));
	for (uint32_t next = callee + 1; next < FUNCTIONS; next++)
		while (uniform(program) < odds[callee][next])
			wander(program, odds, callee, next);
	leave(program, &visit);
}

/* Any tree of calls. */
static void random_tree(struct program *program)
{
	double odds[FUNCTIONS][FUNCTIONS];
	uint32_t count = (uint32_t)exponential(program, 2000);

	for (uint32_t i = 0; i < FUNCTIONS * FUNCTIONS; i++)
		odds[i / FUNCTIONS][i % FUNCTIONS] =
			uniform(program) < 0.4 ? 0 : 0.7 * uniform(program);
	for (uint32_t i = 0; i < count; i++)
		wander(program, odds, 0, 1 + (uint32_t)(2 * uniform(program)));
}

static const struct kind kinds[] = {
	{"constant", constant, 0.01, false},	   {"exponential", exponentials, 0.45, false},
	{"lognormal", lognormals, 0.7, false},	   {"bimodal by caller", bimodal, 0.15, false},
	{"recursive", recursive, 2, false},	   {"slow beginning", slow_beginning, 0.35, false},
	{"outliers", outliers, 4, true},	   {"periodic", periodic, 1.3, true},
	{"drifting", drifting, 0.15, false},	   {"few calls", few_calls, 1.3, false},
	{"rare caller", rare_caller, 0.25, false}, {"random tree", random_tree, 2, true},
	{"two callers", two_callers, 0.45, false}, {"two functions", two_functions, 0.45, false},
};

/* No estimate goes beyond what is known: the thread's time, the caller's, what was timed in full.
 */
static void assert_fits(const struct counted_calls *calls)
{
	double most = calls->most * (1 + 1e-6) + 1, selves = 0;

	for (uint32_t i = 0; i < calls->function_count; i++) {
		const struct counted_function *function = &calls->functions[i];
		const struct counted_estimate *total = &function->total;

		selves += function->self.value;
		assert_true(total->value + total->above <= most);
		assert_true(function->self.value + function->self.above <= most);
		assert_true(function->self.value <= function->visits.value * (1 + 1e-6) + 1);
		if (function->calls > 0 && function->calls == function->sums.ended) {
			assert_true(function->visits.value == (double)function->sums.ticks);
			assert_true(total->below == 0 && total->above == 0);
		}
	}
	assert_true(selves <= most);
	for (size_t i = 0; i < calls->edge_count; i++) {
		const struct counted_edge *edge = &calls->edges[i];

		assert_true(edge->total.value >= 0 && edge->total.below >= 0);
		if (edge->caller != COUNTED_OUTSIDE && edge->caller != edge->callee)
			assert_true(edge->total.value <=
				    calls->functions[edge->caller].visits.value * (1 + 1e-6) + 1);
	}
}

static bool holds(const struct counted_estimate *estimate, double truth)
{
	double slack = 1e-6 * (1 + fabs(truth));

	return estimate->below >= 0 && estimate->above >= 0 && estimate->value >= 0 &&
	       truth >= estimate->value - estimate->below - slack &&
	       truth <= estimate->value + estimate->above + slack;
}

/* And of calls none is beyond what is known. */
static bool calls_hold(const struct counted_edge *edge, double truth)
{
	return edge->calls_low >= 0 && edge->calls_low <= edge->calls &&
	       edge->calls <= edge->calls_high && edge->calls_low <= truth &&
	       truth <= edge->calls_high;
}

struct tally {
	uint32_t total[FUNCTIONS], self[FUNCTIONS], edge[FUNCTIONS + 1][FUNCTIONS];
	uint32_t edge_runs[FUNCTIONS + 1][FUNCTIONS], calls[FUNCTIONS + 1][FUNCTIONS];
	double width; /* of function 1's total, in parts of it */
};

static void one_run(const struct kind *kind, bool is_cheap, uint64_t seed, struct tally *tally)
{
	struct program program = {.seed = seed * 7919 + 12345, .is_cheap = is_cheap};
	struct counted_function functions[FUNCTIONS];
	struct counted_edge edges[(FUNCTIONS + 1) * FUNCTIONS + 1];
	struct counted_calls calls;

	run(&program, kind);
	estimate(&program, functions, edges, &calls);
	assert_fits(&calls);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		tally->total[i] += holds(&functions[i].total, program.functions[i].outer);
		tally->self[i] += holds(&functions[i].self, program.functions[i].self);
	}
	for (size_t i = 0; i < calls.edge_count; i++) {
		uint32_t caller = edges[i].caller < FUNCTIONS ? edges[i].caller : FUNCTIONS;

		tally->edge_runs[caller][edges[i].callee]++;
		tally->edge[caller][edges[i].callee] +=
			holds(&edges[i].total, program.edge_totals[caller][edges[i].callee]);
		tally->calls[caller][edges[i].callee] +=
			calls_hold(&edges[i], program.edge_calls[caller][edges[i].callee]);
		assert_true(edges[i].calls_high <= (double)functions[edges[i].callee].calls);
	}
	if (functions[1].total.value > 0)
		tally->width += (functions[1].total.below + functions[1].total.above) /
				functions[1].total.value / RUNS;
}

static void check(const char *name, uint32_t caller, uint32_t callee, uint32_t held, uint32_t runs)
{
	if (held * 100 < 95 * runs)
		fail_msg("%s, %u -> %u: the interval held the truth in %u of %u runs", name, caller,
			 callee, held, runs);
}

static void run_all(bool is_cheap)
{
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		struct tally tally = {0};

		for (uint64_t seed = 1; seed <= RUNS; seed++)
			one_run(&kinds[k], is_cheap, seed, &tally);
		if (kinds[k].is_rare && !is_cheap) /* it fits all the same */
			continue;
		for (uint32_t i = 0; i < FUNCTIONS; i++) {
			check(kinds[k].name, i, i, tally.total[i], RUNS);
			check(kinds[k].name, i, FUNCTIONS, tally.self[i], RUNS);
			for (uint32_t caller = 0; caller <= FUNCTIONS; caller++) {
				check(kinds[k].name, caller, i, tally.edge[caller][i],
				      tally.edge_runs[caller][i]);
				check(kinds[k].name, caller, i, tally.calls[caller][i],
				      tally.edge_runs[caller][i]);
			}
		}
		/* An interval that holds everything is of no use. */
		if (is_cheap && tally.width > kinds[k].width)
			fail_msg("%s: intervals are %.3f wide", kinds[k].name, tally.width);
	}
}

static void test_intervals_hold_the_truth(void **state)
{
	(void)state;
	run_all(true);
}

/* Fewer calls are timed, and what is rarer than these was not met. */
static void test_they_do_where_timing_is_dear(void **state)
{
	(void)state;
	run_all(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals_hold_the_truth),
		cmocka_unit_test(test_they_do_where_timing_is_dear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
