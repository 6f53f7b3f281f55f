/* What all percentages of a run's times are of: the time of its recorded threads.
 *
 * Each thread counts from when it was first seen to its end, or the recording's, also while
 * recording was switched off.  That time is in regions, outside of all of them, or what measuring
 * took and is in no time of a call: regions + outside + measuring = whole.  What others had of the
 * processor (calltree.off_ns) is none of it.  Of samples it is what they stand for.  Nanoseconds.
 */
#ifndef KYMO_TIME_BASE_H
#define KYMO_TIME_BASE_H

#include "model/tree/calltree.h"

struct time_base {
	double whole_ns;
	double regions_ns;   /* of outermost visits, which are all self times of regions */
	double outside_ns;   /* in none that was recorded */
	double measuring_ns; /* taken out of the times of calls */
	size_t thread_count;
};

/* thread: only that one of each process; KYMO_NO_THREAD = all. */
struct time_base time_base_of(const struct calltree *const *trees, size_t tree_count,
			      uint32_t thread);

/* Less is what sums of whole ticks are off by. */
#define TIME_BASE_LEAST_NS 1.0

/* What rows of that time are called, and say where there is no region. */
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
