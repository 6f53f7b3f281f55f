/* When the time windows of a run begin and end, on the ticks of the recording.
 *
 * The caller's function reads the clocks, so nothing here depends on the time.  An edge is placed
 * between the two readings of its clock around it; until then a time in ticks is known before which
 * it cannot come.  The caller owns the struct and serialises all calls.  Context: any. */
#ifndef KYMO_WINDOWS_H
#define KYMO_WINDOWS_H

#include <stdbool.h>

#include "config/periods.h"

struct windows {
	struct periods periods;
	uint64_t (*read_ns)(clockid_t clock, uint64_t ticks); /* as it stood at ticks, just now */
	double ticks_per_ns;
	unsigned cpu_count; /* CPU time may run so many times as fast as the ticks */
	size_t item;	    /* the period at hand */
	uint64_t round;	    /* of its repeats, from 0 */
	bool is_on;
	bool is_over;	      /* no edge comes any more */
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

/* The next edge that has passed; false when none has, and check_ticks is set anew.  After
 * a long time without a call periods in the middle are left out. */
bool windows_next(struct windows *windows, uint64_t ticks, struct window_edge *out);

/* The clocks of a forked process: one that begins anew goes on from where the parent's
 * stood.  To be called in the child, at ticks, after windows_next() in the parent. */
void windows_fork(struct windows *windows, uint64_t ticks);

#endif
