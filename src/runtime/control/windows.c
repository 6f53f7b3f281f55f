/* Time windows as a sequence of edges.
 *
 * The clock of a window need not run like the ticks: CPU time does not, and the real time may be
 * set.  So the time of the next edge is estimated, always a little early, and the clock is read
 * again then; each estimate is closer than the one before.  CPU time runs at most as fast as
 * there are processors. */
#include "runtime/control/windows.h"

#include <string.h>

#define EARLY	     0.999 /* of the way to an edge: the rate of the ticks is an estimate */
#define NEAR_NS	     2000u /* from here on the clock is read at every event */
#define CATCH_UP_MAX 28u   /* missed repeats that are processed one by one */

static const struct period *item_of(const struct windows *windows)
{
	return &windows->periods.items[windows->item];
}

static void windows_finish(struct windows *windows)
{
	windows->is_over = true;
	windows->check_ticks = UINT64_MAX;
}

static void windows_estimate(struct windows *windows)
{
	uint64_t left_ns = windows->edge_ns - windows->known_ns;
	double ticks = (double)left_ns * windows->ticks_per_ns;

	if (item_of(windows)->clock == CLOCK_PROCESS_CPUTIME_ID)
		ticks /= windows->cpu_count;
	windows->check_ticks = windows->known_ticks;
	if (left_ns > NEAR_NS)
		windows->check_ticks += (uint64_t)(ticks * EARLY);
}

/* The time at which the clock passed the edge, assuming a constant rate since the latest
 * reading. */
static uint64_t edge_ticks(const struct windows *windows, uint64_t ticks, uint64_t now_ns)
{
	__extension__ typedef unsigned __int128 wide;
	wide part = windows->edge_ns - windows->known_ns;
	wide whole = now_ns - windows->known_ns;

	if (part >= whole || ticks <= windows->known_ticks)
		return ticks;
	return windows->known_ticks + (uint64_t)(part * (ticks - windows->known_ticks) / whole);
}

/* The item's delay begins at edge, which was ago_ns before ticks. */
static void item_begin(struct windows *windows, uint64_t edge, uint64_t ticks, uint64_t ago_ns)
{
	uint64_t now_ns = windows->read_ns(item_of(windows)->clock, ticks);

	windows->round = 0;
	windows->known_ticks = edge;
	windows->known_ns = now_ns - (ago_ns < now_ns ? ago_ns : now_ns);
	windows->edge_ns = windows->known_ns + item_of(windows)->delay_ns;
}

/* After a long time without a call: skip all but the last repeats. */
static void skip_repeats(struct windows *windows, uint64_t now_ns)
{
	const struct period *item = item_of(windows);
	uint64_t length = item->delay_ns + item->duration_ns;
	uint64_t passed = now_ns > windows->edge_ns ? (now_ns - windows->edge_ns) / length : 0;
	uint64_t left = item->repeat ? item->repeat - windows->round : UINT64_MAX;

	if (passed > left)
		passed = left;
	if (passed <= CATCH_UP_MAX)
		return;
	passed -= CATCH_UP_MAX;
	windows->round += passed;
	windows->edge_ns += passed * length;
}

/* How long ago the edge at ticks edge was, on the clock next.  Clocks of time agree on it; the
 * CPU time used since then is unknown. */
static uint64_t ago(const struct windows *windows, clockid_t next, uint64_t edge, uint64_t ticks,
		    uint64_t now_ns)
{
	clockid_t clock = item_of(windows)->clock;

	if (next == clock ||
	    (next != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_PROCESS_CPUTIME_ID))
		return now_ns - windows->edge_ns;
	if (next == CLOCK_PROCESS_CPUTIME_ID)
		return 0;
	return (uint64_t)((double)(ticks - edge) / windows->ticks_per_ns);
}

static void period_end(struct windows *windows, uint64_t edge, uint64_t ticks, uint64_t now_ns)
{
	const struct period *item = item_of(windows);

	windows->round++;
	if (item->repeat == 0 || windows->round < item->repeat) {
		windows->edge_ns += item->delay_ns;
		skip_repeats(windows, now_ns);
	} else if (windows->item + 1 < windows->periods.count) {
		uint64_t ago_ns = ago(windows, item[1].clock, edge, ticks, now_ns);

		windows->item++;
		item_begin(windows, edge, ticks, ago_ns);
	} else {
		windows_finish(windows);
	}
}

static void windows_apply_edge(struct windows *windows, const struct window_edge *edge,
			       uint64_t ticks, uint64_t now_ns)
{
	windows->is_on = edge->is_on;
	if (!edge->is_on)
		period_end(windows, edge->ticks, ticks, now_ns);
	else if (item_of(windows)->duration_ns == 0)
		windows_finish(windows);
	else
		windows->edge_ns += item_of(windows)->duration_ns;
}

void windows_begin(struct windows *windows, uint64_t ticks)
{
	windows->item = 0;
	windows->is_on = windows->periods.count == 0;
	windows->is_over = false;
	if (windows->periods.count == 0) {
		windows_finish(windows);
		return;
	}
	item_begin(windows, ticks, ticks, 0);
	if (item_of(windows)->delay_ns == 0)
		windows_apply_edge(windows, &(struct window_edge){ticks, true}, ticks,
				   windows->known_ns);
	if (!windows->is_over)
		windows_estimate(windows);
}

bool windows_next(struct windows *windows, uint64_t ticks, struct window_edge *out)
{
	uint64_t now_ns;

	if (windows->is_over || ticks < windows->check_ticks)
		return false;
	now_ns = windows->read_ns(item_of(windows)->clock, ticks);
	if (now_ns < windows->edge_ns) {
		windows->known_ns = now_ns;
		windows->known_ticks = ticks;
		windows_estimate(windows);
		return false;
	}
	out->ticks = edge_ticks(windows, ticks, now_ns);
	out->is_on = !windows->is_on;
	windows_apply_edge(windows, out, ticks, now_ns);
	return true;
}

void windows_fork(struct windows *windows, uint64_t ticks)
{
	uint64_t now_ns;

	if (windows->is_over || item_of(windows)->clock != CLOCK_PROCESS_CPUTIME_ID)
		return;
	now_ns = windows->read_ns(CLOCK_PROCESS_CPUTIME_ID, ticks);
	windows->edge_ns = windows->edge_ns - windows->known_ns + now_ns;
	windows->known_ns = now_ns;
}
