/* When the time windows of a run begin and end, in ticks of the recording.
 *
 * The caller's function reads the clocks, so nothing here depends on the time.  An edge is
 * placed between the two readings of its clock around it; until then a lower bound for it, in
 * ticks, is known.  The caller owns the struct and serialises all calls.  Context: any. */
#ifndef KYMO_WINDOWS_H
#define KYMO_WINDOWS_H

#include <stdbool.h>

#include "config/periods.h"

struct windows {
	struct periods periods;
	uint64_t (*read_ns)(clockid_t clock, uint64_t ticks); /* its value at ticks, just now */
	double ticks_per_ns;
	unsigned cpu_count; /* CPU time runs at most so many times as fast as the ticks */
	size_t item;	    /* the current period */
	uint64_t round;	    /* of its repeats, from 0 */
	bool is_on;
	bool is_over;	      /* there are no more edges */
	uint64_t edge_ns;     /* the next edge, on the clock of the item */
	uint64_t known_ns;    /* its latest reading, before the edge */
	uint64_t known_ticks; /* when that was */
	uint64_t check_ticks; /* the edge is not before it; UINT64_MAX when over */
};

struct window_edge {
	uint64_t ticks;
	bool is_on;
};

/* Begin at ticks.  windows->periods, read_ns, ticks_per_ns and cpu_count are set. */
void windows_begin(struct windows *windows, uint64_t ticks);

/* The next edge that has passed; false if none has, and check_ticks is updated.  After a long
 * time without a call, periods in between are skipped. */
bool windows_next(struct windows *windows, uint64_t ticks, struct window_edge *out);

/* The clocks of a forked process: one that starts at zero continues from the parent's value.
 * Called in the child, at ticks, after windows_next() in the parent. */
void windows_fork(struct windows *windows, uint64_t ticks);

#endif
