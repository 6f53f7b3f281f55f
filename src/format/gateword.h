/* The word in a recording's header that determines whether its process records now, and why not.
 * It is changed by the process itself and from outside, by any process that maps the header:
 * every change is one atomic exchange of gate and causes.  Context: any. */
#ifndef KYMO_GATEWORD_H
#define KYMO_GATEWORD_H

#include <stdbool.h>

#include "format/format.h"

/* When gate became number.  For numbers that are no longer in the log a later time. */
static inline uint64_t gateword_time(const struct kymo_header *header, uint32_t number)
{
	return __atomic_load_n(&header->gate_log[number % KYMO_GATE_LOG_COUNT], __ATOMIC_RELAXED);
}

/* Add or remove cause, as of ticks.  False if that is the state already.  A time before changes
 * that were made since is moved after them if necessary. */
bool gateword_change(struct kymo_header *header, uint32_t cause, bool is_off, uint64_t ticks);

/* Set the byte that instrumented functions test from the current gate and is_shut: called after
 * either was changed. */
void gateword_switch(const struct kymo_header *header, struct kymo_switch *page);

/* ticks, but not later than recording was switched off if it is off now.  Limits times of what a
 * killed process left open. */
uint64_t gateword_cut(const struct kymo_header *header, uint64_t ticks);

#endif
