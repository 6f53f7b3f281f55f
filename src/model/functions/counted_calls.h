/* Functions whose calls were counted and some of them timed: estimates of their times, with 95 %
 * confidence intervals.  docs/overhead.md has the formulas.
 *
 * Known of each function are the number of its calls, and the durations of the timed ones by
 * caller.  The caller's memory; pure arithmetic, any thread. */
#ifndef KYMO_COUNTED_CALLS_H
#define KYMO_COUNTED_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

#define COUNTED_OUTSIDE UINT32_MAX /* the caller is not instrumented or not known */

struct counted_estimate { /* 95 % interval: [value - below, value + above] */
	double value, below, above;
	/* Systematic part of below and above: the same direction in all threads. */
	double off_below, off_above;
};

struct counted_function {
	uint32_t id;
	uint32_t sampling_interval; /* one call in so many is timed */
	uint64_t calls, timed;
	uint64_t min, max; /* ticks, of timed calls */
	struct kymo_timed_sums sums;
	double outlier_ticks; /* result: ticks that an outlier would have stood for; it is counted
				 once */
	double outer_calls;   /* result: not recursive */
	/* Result: systematic error of self, since its callees may have waited. */
	struct counted_estimate bias;
	double waited;
	double waits; /* result: waits for a processor, as far as they are in visits */
	/* Results, in ticks: of all calls; of those that another function made; and without its
	 * callees. */
	struct counted_estimate visits, total, self;
};

struct counted_edge {		 /* calls of one function by another */
	uint32_t caller, callee; /* indexes; caller may be COUNTED_OUTSIDE */
	uint64_t timed;
	struct kymo_timed_sums sums;
	double outlier_ticks;	       /* result: likewise */
	struct counted_estimate total; /* result */
	/* Results of counted_callers_estimate(): the number of calls; low and high equal it if it
	 * is exact. */
	double calls, calls_low, calls_high;
};

struct counted_calls { /* of one thread */
	struct counted_function *functions;
	uint32_t function_count;
	struct counted_edge *edges; /* one per pair of functions */
	size_t edge_count;
	double timing;	    /* ticks subtracted from each timed call as the overhead of timing */
	double crowded;	    /* 0 to 1: how much others had the processor, and filled its caches */
	double interrupted; /* upper bound of the part of all time that goes to interrupts */
	double waited; /* ticks that the thread waited for a processor: few of those are timed */
	double unseen; /* result: upper bound of the ticks of calls of a function, none of which was
			  timed */
	double most;   /* lifetime of the thread in ticks, an upper bound; 0 = not known */
};

void timed_sums_add(struct kymo_timed_sums *sums, const struct kymo_timed_sums *more);
struct kymo_timed_sums timed_sums_without(const struct kymo_timed_sums *sums,
					  const struct kymo_timed_sums *part);
/* Limit the estimate to most; 0 = not known. */
void counted_estimate_limit(struct counted_estimate *estimate, double most);
void counted_calls_estimate(struct counted_calls *calls);

#endif
