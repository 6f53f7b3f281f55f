/* Programs whose functions measure themselves, for what is estimated of counted calls.
 *
 * Usage: counted_truth KIND MILLISECONDS.  At the end it prints, in seconds by the processor's
 * counter, "function NAME TOTAL SELF" and "edge CALLER CALLEE TOTAL": totals of recursive
 * functions count once.  Each function reads the counter when it begins and when it ends; what
 * lies outside of the two readings is measured first, and added to each call. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#define FUNCTION __attribute__((noinline, noclone, noipa)) static void
#define INLINE	 static inline __attribute__((always_inline))
#define THREADS	 3

enum { DRIVE, ALPHA, BETA, GAMMA, LEAF, EVEN, ODD, DEEP, PARTS };

static const char *names[PARTS] = {"", "alpha", "beta", "gamma_", "leaf", "even", "odd", "deep"};

struct truth {
	int64_t total[PARTS], self[PARTS], edge[PARTS + 1][PARTS];
	uint32_t open[PARTS];
	uint32_t current; /* PARTS: none */
	uint64_t seed, chain;
};

static __thread struct truth truth;
static struct truth sum;
static pthread_mutex_t sum_lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t outside; /* ticks of a call that its two readings do not see */
static double ticks_per_ns;

/* Not before all that stands in front of it is done. */
INLINE uint64_t counter(void)
{
	_mm_lfence();
	return __rdtsc();
}

struct visit {
	uint32_t caller, part;
	uint64_t start;
};

INLINE struct visit enter(uint32_t part)
{
	struct visit visit = {truth.current, part, 0};

	truth.open[part]++;
	truth.current = part;
	visit.start = counter();
	return visit;
}

INLINE void leave(struct visit visit)
{
	int64_t ticks = (int64_t)(counter() - visit.start) + outside;

	truth.self[visit.part] += ticks;
	if (visit.caller < PARTS)
		truth.self[visit.caller] -= ticks;
	truth.edge[visit.caller][visit.part] += ticks;
	if (--truth.open[visit.part] == 0)
		truth.total[visit.part] += ticks;
	truth.current = visit.caller;
}

/* The least of many: other work on the processor only adds. */
static void measure_outside(void)
{
	int64_t least = INT64_MAX;

	truth.current = PARTS;
	for (int round = 0; round < 50; round++) {
		int64_t seen = truth.total[LEAF];
		uint64_t start = __rdtsc();

		for (int i = 0; i < 200; i++) {
			leave(enter(LEAF));
			__asm__ volatile("" ::: "memory");
		}
		seen = (int64_t)(__rdtsc() - start) - (truth.total[LEAF] - seen);
		least = seen < least ? seen : least;
	}
	outside = least / 200;
	memset(&truth, 0, sizeof(truth));
	truth.current = PARTS;
}

static void add_up(void)
{
	pthread_mutex_lock(&sum_lock);
	for (uint32_t i = 0; i < PARTS; i++) {
		sum.total[i] += truth.total[i];
		sum.self[i] += truth.self[i];
		for (uint32_t k = 0; k <= PARTS; k++)
			sum.edge[k][i] += truth.edge[k][i];
	}
	pthread_mutex_unlock(&sum_lock);
}

static double seconds(int64_t ticks)
{
	return (double)ticks / ticks_per_ns * 1e-9;
}

static void print(void)
{
	for (uint32_t i = 0; i < PARTS; i++) {
		if (sum.total[i] == 0)
			continue;
		printf("function %s %.9f %.9f\n", names[i], seconds(sum.total[i]),
		       seconds(sum.self[i]));
		for (uint32_t k = 0; k < PARTS; k++)
			if (sum.edge[k][i])
				printf("edge %s %s %.9f\n", names[k], names[i],
				       seconds(sum.edge[k][i]));
	}
}

INLINE double uniform(void)
{
	truth.seed = truth.seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return ((double)(truth.seed >> 33) + 0.5) / 2147483648.0;
}

/* Multiplications, about a nanosecond each.  They are one chain from call to call: else the
 * processor would do several calls at a time. */
INLINE void work(uint32_t ns)
{
	uint64_t value = truth.chain;

	for (uint32_t i = 0; i < ns; i++)
		__asm__ volatile("imul %0, %0" : "+r"(value));
	truth.chain = value;
}

INLINE uint32_t exponential(double mean)
{
	return (uint32_t)(-mean * log(uniform()));
}

FUNCTION leaf(uint32_t ns)
{
	struct visit visit = enter(LEAF);

	work(ns);
	leave(visit);
}

/* The kinds: each step takes a few microseconds. */

FUNCTION alpha(uint32_t ns, uint32_t leaves, uint32_t leaf_ns)
{
	struct visit visit = enter(ALPHA);

	for (uint32_t i = 0; i < leaves; i++)
		leaf(leaf_ns);
	work(ns);
	leave(visit);
}

FUNCTION beta(uint32_t ns, uint32_t leaves, uint32_t leaf_ns)
{
	struct visit visit = enter(BETA);

	for (uint32_t i = 0; i < leaves; i++)
		leaf(leaf_ns);
	work(ns);
	leave(visit);
}

FUNCTION gamma_(uint32_t ns)
{
	struct visit visit = enter(GAMMA);

	work(ns);
	leave(visit);
}

FUNCTION odd(uint32_t depth);

FUNCTION even(uint32_t depth)
{
	struct visit visit = enter(EVEN);

	work(200 + exponential(100));
	if (depth > 0)
		odd(depth - 1);
	leave(visit);
}

FUNCTION odd(uint32_t depth)
{
	struct visit visit = enter(ODD);

	work(400);
	if (depth > 0 && uniform() < 0.8)
		even(depth - 1);
	leave(visit);
}

FUNCTION deep(uint32_t depth)
{
	struct visit visit = enter(DEEP);

	work(50 + exponential(200));
	for (uint32_t i = 0; i < 2 && depth > 0; i++)
		if (uniform() < 0.8)
			deep(depth - 1);
	leaf(100);
	leave(visit);
}

INLINE void step_constant(uint32_t step)
{
	(void)step;
	alpha(1000, 2, 300);
	beta(300, 1, 300);
	gamma_(2000);
}

INLINE void step_spread(uint32_t step)
{
	(void)step;
	alpha(exponential(500), 3, exponential(300));
	beta(exponential(2000), 0, 0);
	gamma_(exponential(100));
}

/* One in a hundred takes almost all of the time. */
INLINE void step_tailed(uint32_t step)
{
	(void)step;
	alpha(100, 1, uniform() < 0.01 ? 50000 : 50);
	gamma_(300);
}

/* In steps of the choice itself. */
INLINE void step_periodic(uint32_t step)
{
	alpha(step % 64 == 0 ? 20000 : 100, 1, step % 32 == 0 ? 5000 : 100);
	beta(200, 1, 100);
}

INLINE void step_recursive(uint32_t step)
{
	(void)step;
	deep(5);
}

INLINE void step_mutual(uint32_t step)
{
	(void)step;
	even(8);
	gamma_(500);
}

/* Other callers, and other lengths, as time goes on. */
INLINE void step_phases(uint32_t step)
{
	if (step < 100)
		alpha(20000, 1, 5000);
	else if (step / 1000 % 2)
		beta(300, 2, 2000);
	else
		alpha(1000, 3, 100);
	gamma_(step < 5000 ? 1000 : 200);
}

static uint64_t length_ticks;

#define DRIVE_BY(kind)                                                                             \
	FUNCTION drive_##kind(void)                                                                \
	{                                                                                          \
		struct visit visit = enter(DRIVE);                                                 \
		uint64_t end = __rdtsc() + length_ticks;                                           \
                                                                                                   \
		for (uint32_t step = 0; __rdtsc() < end; step++)                                   \
			step_##kind(step);                                                         \
		leave(visit);                                                                      \
	}

DRIVE_BY(constant)
DRIVE_BY(spread)
DRIVE_BY(tailed)
DRIVE_BY(periodic)
DRIVE_BY(recursive)
DRIVE_BY(mutual)
DRIVE_BY(phases)

static const struct kind {
	const char *name, *drive_name;
	void (*drive)(void);
	uint32_t threads;
} kinds[] = {
	{"constant", "drive_constant", drive_constant, 0},
	{"spread", "drive_spread", drive_spread, 0},
	{"tailed", "drive_tailed", drive_tailed, 0},
	{"periodic", "drive_periodic", drive_periodic, 0},
	{"recursive", "drive_recursive", drive_recursive, 0},
	{"mutual", "drive_mutual", drive_mutual, 0},
	{"phases", "drive_phases", drive_phases, 0},
	{"threads", "drive_spread", drive_spread, THREADS},
};

static const struct kind *kind;

static void *begin(void *number)
{
	truth.current = PARTS;
	truth.seed = (uint64_t)time(NULL) * 7919 + (uintptr_t)number + __rdtsc();
	kind->drive();
	add_up();
	return NULL;
}

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void measure_counter(void)
{
	uint64_t ns = now_ns(), ticks = __rdtsc(), passed;

	do {
		passed = now_ns() - ns;
	} while (passed < 10000000);
	ticks_per_ns = (double)(__rdtsc() - ticks) / (double)passed;
}

int main(int count, char **arguments)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; count == 3 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].name, arguments[1]) == 0)
			kind = &kinds[i];
	if (!kind)
		return 2;
	names[DRIVE] = kind->drive_name;
	measure_counter();
	measure_outside();
	length_ticks = (uint64_t)(atof(arguments[2]) * 1e6 * ticks_per_ns);
	for (uintptr_t i = 0; i < kind->threads; i++)
		pthread_create(&threads[i], NULL, begin, (void *)i);
	if (kind->threads == 0)
		begin(NULL);
	for (uint32_t i = 0; i < kind->threads; i++)
		pthread_join(threads[i], NULL);
	print();
	return 0;
}
