/* The one clock of a recording: a tick counter and the meaning of its ticks.  The source is
 * selected once, by clock_select().  Context: any. */
#ifndef KYMO_TICKS_H
#define KYMO_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/clock_pair.h"
#include "platform/processor.h"

/* Select the source: name is "auto", "tsc", "monotonic" or "monotonic_raw"; NULL = auto.  Returns
 * false, leaving the automatic choice, if name is unknown or not possible here.  Context: init. */
bool clock_select(const char *name);

enum kymo_clock_kind clock_kind(void);

/* True if ticks_read() is the recording's clock; else ticks_read_fallback() is. */
bool clock_is_ticks(void);

/* Read all clocks at one instant: the closest of a few attempts. */
struct kymo_clock_pair clock_read_pair(void);

/* The value of a system clock at ticks, a moment ago: pre-emption between the two readings is
 * corrected for.  Context: any. */
uint64_t clock_ns_at(clockid_t clock, uint64_t ticks, double ticks_per_ns);

/* The recording's clock, of any source. */
uint64_t ticks_now(void);

/* The selected clock of the system, ns.  Also called by inlined hot paths. */
__attribute__((visibility("default"))) uint64_t ticks_read_fallback(void);

/* The processor's counter. */
static inline uint64_t ticks_read(void)
{
	return processor_ticks();
}

#endif
