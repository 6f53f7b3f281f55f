/* A simulated program of a few functions that call each other, and what is recorded of it. */
#ifndef KYMO_COUNTED_PROGRAM_FIXTURE_H
#define KYMO_COUNTED_PROGRAM_FIXTURE_H

#include "counted_fixture.h"

#define FUNCTIONS 5
#define RUNS	  200

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

static inline double uniform(struct program *program)
{
	program->seed = program->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return ((double)(program->seed >> 33) + 0.5) / 2147483648.0;
}

static inline uint64_t exponential(struct program *program, double mean)
{
	return (uint64_t)(-mean * log(uniform(program)));
}

/* The weight of this call when it is timed; 0: it is not. */
static inline uint32_t choose(struct program *program, struct function *function)
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

static inline struct visit enter(struct program *program, uint32_t caller, uint32_t callee)
{
	struct function *function = &program->functions[callee];

	function->open++;
	program->edge_calls[caller][callee]++;
	return (struct visit){caller, callee, choose(program, function), program->now};
}

static inline void leave(struct program *program, const struct visit *visit)
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

static inline void leaf(struct program *program, uint32_t caller, uint32_t callee, uint64_t ticks)
{
	struct visit visit = enter(program, caller, callee);

	program->now += ticks;
	leave(program, &visit);
}

/* One function for two callers, of 10,000 calls each, twice as long for one of them. */
static inline void two_callers(struct program *program)
{
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t caller = 1 + i % 2;
		struct visit visit = enter(program, 0, caller);

		leaf(program, caller, 3, exponential(program, 200 * caller));
		leave(program, &visit);
	}
}

/* Two functions side by side, each called 10,000 times by one that does nothing else. */
static inline void two_functions(struct program *program)
{
	for (uint32_t i = 0; i < 10000; i++) {
		leaf(program, 0, 1, exponential(program, 200));
		leaf(program, 0, 2, exponential(program, 400));
	}
}

struct kind {
	const char *name;
	void (*run)(struct program *program);
	double width; /* at most, of the interval of function 1, in parts of its time */
	bool is_rare; /* most of the time is in few of the calls */
};

static inline void estimate(const struct program *program, struct counted_function *functions,
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

static inline void run(struct program *program, const struct kind *kind)
{
	struct visit whole;

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		program->functions[i].sampling_interval = 1;
	whole = enter(program, FUNCTIONS, 0);
	kind->run(program);
	leave(program, &whole);
}

#endif
