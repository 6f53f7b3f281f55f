/* The word in a recording's header that says whether its process records now, and why not.
 * It is changed by the process itself and from outside of it, by whoever maps the header:
 * every change is one atomic exchange of gate and causes.  Context: any. */
#ifndef KYMO_GATEWORD_H
#define KYMO_GATEWORD_H

#include <stdbool.h>

#include "format/format.h"

/* When gate became number.  Of numbers that are no longer in the log a later time. */
static inline uint64_t gateword_time(const struct kymo_header *header, uint32_t number)
{
	return __atomic_load_n(&header->gate_log[number % KYMO_GATE_LOG_COUNT], __ATOMIC_RELAXED);
}

/* Add cause, or take it away, as of ticks.  False when that is so already.  A time that
 * lies before changes which were made since is moved behind them where it has to be. */
bool gateword_change(struct kymo_header *header, uint32_t cause, bool is_off, uint64_t ticks);

/* The byte that instrumented functions look at, as the gate and is_shut are now: to be called
 * after either was changed. */
void gateword_switch(const struct kymo_header *header, struct kymo_switch *page);

/* ticks, but not later than recording was switched off when it is off now.  Times of what a
 * process that was killed left open are cut by it. */
uint64_t gateword_cut(const struct kymo_header *header, uint64_t ticks);

#endif
