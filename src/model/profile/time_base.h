/* The base of all percentages of a run's times: the time of its recorded threads.
 *
 * Each thread counts from when it was first seen to its end, or the recording's, also while
 * recording was switched off.  That time is in regions, outside of all of them, or measuring, which
 * is excluded from the times of calls: regions + outside + measuring = whole.  Preemption
 * (calltree.off_ns) is not included.  Of samples it is what they stand for.  Nanoseconds. */
#ifndef KYMO_TIME_BASE_H
#define KYMO_TIME_BASE_H

#include "model/tree/calltree.h"

struct time_base {
	double whole_ns;
	double regions_ns;   /* of outermost visits: the sum of all self times of regions */
	double outside_ns;   /* in none that was recorded */
	double measuring_ns; /* excluded from the times of calls */
	size_t thread_count;
};

/* thread: only that one of each process; KYMO_NO_THREAD = all. */
struct time_base time_base_of(const struct calltree *const *trees, size_t tree_count,
			      uint32_t thread);

/* The rounding error of sums of whole ticks; less is ignored. */
#define TIME_BASE_LEAST_NS 1.0

/* Names of the rows of that time, which are also printed in place of a region. */
#define TIME_OUTSIDE_NAME   "[outside any recorded region]"
#define TIME_MEASURING_NAME "[measuring]"

static inline double time_base_percent(const struct time_base *base, double ns)
{
	return base->whole_ns > 0 ? 100 * ns / base->whole_ns : 0;
}

/* "2.00 s of 3 threads: 1.50 s in regions, 0.40 s outside any recorded region, 0.10 s
 * measuring".  Returns text. */
#define TIME_BASE_TEXT_MAX 512
char *time_base_text(const struct time_base *base, char text[TIME_BASE_TEXT_MAX]);

#endif
