/* The one clock of a recording: a tick counter and what its ticks are.
 * Which source answers is decided once, by clock_select().  Context: any. */
#ifndef KYMO_TICKS_H
#define KYMO_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/clock_pair.h"
#include "platform/processor.h"

/* Choose the source: name is "auto", "tsc", "monotonic" or "monotonic_raw"; NULL = auto.
 * Returns false, leaving the automatic choice, when name is unknown or not possible here.
 * Context: init. */
bool clock_select(const char *name);

enum kymo_clock_kind clock_kind(void);

/* True when ticks_read() is the recording's clock; else ticks_read_fallback() is. */
bool clock_is_ticks(void);

/* Read all clocks at one moment: the closest of a few attempts. */
struct kymo_clock_pair clock_read_pair(void);

/* What a clock of the system showed at ticks, a moment ago: whoever had the processor between
 * the two readings does not count.  Context: any. */
uint64_t clock_ns_at(clockid_t clock, uint64_t ticks, double ticks_per_ns);

/* The recording's clock, whatever it is. */
uint64_t ticks_now(void);

/* The selected clock of the system, ns.  Also called by inlined hot paths. */
__attribute__((visibility("default"))) uint64_t ticks_read_fallback(void);

/* The processor's counter. */
static inline uint64_t ticks_read(void)
{
	return processor_ticks();
}

#endif
