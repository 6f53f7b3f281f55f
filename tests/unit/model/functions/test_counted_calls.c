/* Estimated times of counted functions, in simulated programs of every kind. */
#include "model/functions/counted_calls.h"

#include "counted_fixture.h"

#define FUNCTIONS 5
#define RUNS	  200

/* A program, and what is recorded of it. */

struct function {
	uint32_t sampling_interval, gap; /* calls until one is timed */
	struct counted_function counted;
	double visits, self, outer; /* the truth */
	uint32_t open;
	uint64_t begun; /* calls that are timed, ended or not */
};

struct program {
	struct function functions[FUNCTIONS];
	struct counted_edge edges[FUNCTIONS + 1][FUNCTIONS];
	double edge_totals[FUNCTIONS + 1][FUNCTIONS], edge_calls[FUNCTIONS + 1][FUNCTIONS];
	uint64_t seed;
	uint64_t now;
	bool is_cheap; /* to time a call */
};

static double uniform(struct program *program)
{
	program->seed = program->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return ((double)(program->seed >> 33) + 0.5) / 2147483648.0;
}

static uint64_t exponential(struct program *program, double mean)
{
	return (uint64_t)(-mean * log(uniform(program)));
}

static uint64_t lognormal(struct program *program, double median, double sigma)
{
	double normal = sqrt(-2 * log(uniform(program))) * cos(2 * M_PI * uniform(program));

	return (uint64_t)(median * exp(sigma * normal));
}

/* The weight of this call when it is timed; 0: it is not. */
static uint32_t choose(struct program *program, struct function *function)
{
	uint32_t weight = function->sampling_interval;

	function->counted.calls++;
	if (function->gap > 0 && --function->gap > 0)
		return 0;
	function->sampling_interval = interval_next(weight, ++function->begun, program->is_cheap);
	function->gap =
		function->sampling_interval == 1
			? 0
			: 1 + (uint32_t)(uniform(program) * (2 * function->sampling_interval - 1));
	return weight;
}

struct visit {
	uint32_t caller, callee, weight;
	uint64_t start;
};

static struct visit enter(struct program *program, uint32_t caller, uint32_t callee)
{
	struct function *function = &program->functions[callee];

	function->open++;
	program->edge_calls[caller][callee]++;
	return (struct visit){caller, callee, choose(program, function), program->now};
}

static void leave(struct program *program, const struct visit *visit)
{
	struct function *function = &program->functions[visit->callee];
	uint64_t ticks = program->now - visit->start;

	function->visits += (double)ticks;
	function->self += (double)ticks;
	if (--function->open == 0)
		function->outer += (double)ticks;
	if (visit->caller < FUNCTIONS)
		program->functions[visit->caller].self -= (double)ticks;
	program->edge_totals[visit->caller][visit->callee] += (double)ticks;
	if (!visit->weight)
		return;
	function->counted.timed++;
	if (ticks > function->counted.max)
		function->counted.max = ticks;
	add_time(&function->counted.sums, visit->weight, ticks);
	add_time(&program->edges[visit->caller][visit->callee].sums, visit->weight, ticks);
}

static void leaf(struct program *program, uint32_t caller, uint32_t callee, uint64_t ticks)
{
	struct visit visit = enter(program, caller, callee);

	program->now += ticks;
	leave(program, &visit);
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

/* One function for two callers, of 10,000 calls each, twice as long for one of them. */
static void two_callers(struct program *program)
{
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t caller = 1 + i % 2;
		struct visit visit = enter(program, 0, caller);

		leaf(program, caller, 3, exponential(program, 200 * caller));
		leave(program, &visit);
	}
}

/* Two functions side by side, each called 10,000 times by one that does nothing else. */
static void two_functions(struct program *program)
{
	for (uint32_t i = 0; i < 10000; i++) {
		leaf(program, 0, 1, exponential(program, 200));
		leaf(program, 0, 2, exponential(program, 400));
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

struct kind {
	const char *name;
	void (*run)(struct program *program);
	double width; /* at most, of the interval of function 1, in parts of its time */
	bool is_rare; /* most of the time is in few of the calls */
};

static const struct kind kinds[] = {
	{"constant", constant, 0.01, false},	   {"exponential", exponentials, 0.45, false},
	{"lognormal", lognormals, 0.7, false},	   {"bimodal by caller", bimodal, 0.15, false},
	{"recursive", recursive, 2, false},	   {"slow beginning", slow_beginning, 0.35, false},
	{"outliers", outliers, 4, true},	   {"periodic", periodic, 1.3, true},
	{"drifting", drifting, 0.15, false},	   {"few calls", few_calls, 1.3, false},
	{"rare caller", rare_caller, 0.25, false}, {"random tree", random_tree, 2, true},
	{"two callers", two_callers, 0.45, false}, {"two functions", two_functions, 0.45, false},
};

static void estimate(const struct program *program, struct counted_function *functions,
		     struct counted_edge *edges, struct counted_calls *calls)
{
	*calls = (struct counted_calls){
		.functions = functions, .function_count = FUNCTIONS, .edges = edges};
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		functions[i] = program->functions[i].counted;
		functions[i].sampling_interval = program->functions[i].sampling_interval;
	}
	for (uint32_t callee = 0; callee < FUNCTIONS; callee++) {
		for (uint32_t caller = 0; caller <= FUNCTIONS; caller++) {
			struct counted_edge *edge = &edges[calls->edge_count];

			*edge = program->edges[caller][callee];
			edge->caller = caller == FUNCTIONS ? COUNTED_OUTSIDE : caller;
			edge->callee = callee;
			calls->edge_count += edge->sums.ended > 0;
		}
	}
	calls->most = (double)program->now;
	counted_calls_estimate(calls);
	assert_int_equal(counted_flow_estimate(calls), KYMO_OK);
}

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

static void run(struct program *program, const struct kind *kind)
{
	struct visit whole;

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		program->functions[i].sampling_interval = 1;
	whole = enter(program, FUNCTIONS, 0);
	kind->run(program);
	leave(program, &whole);
}

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
		cmocka_unit_test(test_intervals_hold_the_truth),
		cmocka_unit_test(test_they_do_where_timing_is_dear),
		cmocka_unit_test(test_twice_as_long_is_told_apart_at_ten_thousand_calls),
		cmocka_unit_test(test_what_was_timed_is_exact),
		cmocka_unit_test(test_one_call_stands_out),
		cmocka_unit_test(test_calls_that_did_not_end),
		cmocka_unit_test(test_long_calls_are_all_timed),
		cmocka_unit_test(test_any_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
