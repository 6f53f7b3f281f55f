/* Functions whose calls were counted and some of them timed: estimates of their times, with
 * intervals that hold the truth in 95 of 100 runs.  docs/overhead.md has the formulas.
 *
 * Of each function it is known how often it was called, and of the calls that were timed what they
 * took, by who called.  The caller's memory; pure arithmetic, any thread. */
#ifndef KYMO_COUNTED_CALLS_H
#define KYMO_COUNTED_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

#define COUNTED_OUTSIDE UINT32_MAX /* a caller that is not instrumented, or not known */

struct counted_estimate { /* the truth is in [value - below, value + above] */
	double value, below, above;
	/* Of below and above: what is off in the same direction in all threads. */
	double off_below, off_above;
};

struct counted_function {
	uint32_t id;
	uint32_t sampling_interval; /* one in so many is timed */
	uint64_t calls, timed;
	uint64_t min, max; /* ticks, of timed calls */
	struct kymo_timed_sums sums;
	double aside; /* made: the most that a call stands for which is taken for itself alone */
	double outer_calls; /* made: not from within itself */
	/* Made: how far self may be off, and not by chance; what its callees may have waited. */
	struct counted_estimate bias;
	double waited;
	double waits; /* made: for a processor, as far as they are in visits */
	/* Made, in ticks: of all calls; of those that another function made; and but for the
	 * functions that it called. */
	struct counted_estimate visits, total, self;
};

struct counted_edge {		 /* calls of one function by another */
	uint32_t caller, callee; /* indexes; caller may be COUNTED_OUTSIDE */
	uint64_t timed;
	struct kymo_timed_sums sums;
	double aside;		       /* made: likewise */
	struct counted_estimate total; /* made */
	/* Made by counted_callers_estimate(): how many; low and high are the same where it is
	 * exact. */
	double calls, calls_low, calls_high;
};

struct counted_calls { /* of one thread */
	struct counted_function *functions;
	uint32_t function_count;
	struct counted_edge *edges; /* one a pair of functions */
	size_t edge_count;
	double timing;	    /* ticks of a timed call that were taken off its time as timing's own */
	double crowded;	    /* 0 to 1: others had the processor, and its caches are theirs then */
	double interrupted; /* the part of all time that goes to interrupts, at most */
	double waited; /* ticks that the thread waited for a processor: few of those are timed */
	double unseen; /* made: ticks of calls of which none was timed, of one function at most */
	double most;   /* ticks that the thread was there: nothing took longer; 0 = not known */
};

void timed_sums_add(struct kymo_timed_sums *sums, const struct kymo_timed_sums *more);
struct kymo_timed_sums timed_sums_without(const struct kymo_timed_sums *sums,
					  const struct kymo_timed_sums *part);
/* Nothing is above most; 0 = it is not known. */
void counted_estimate_limit(struct counted_estimate *estimate, double most);
void counted_calls_estimate(struct counted_calls *calls);

#endif
