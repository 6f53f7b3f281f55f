/* The time windows in which a run is recorded, as the settings TRACE_DELAY, TRACE_DURATION,
 * TRACE_PERIODS and TRACE_PERIOD_CLOCK_ID give them.  Shared by the runtime and the commands.
 * Context: init. */
#ifndef KYMO_PERIODS_H
#define KYMO_PERIODS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/status.h"

#define PERIODS_MAX 256

struct settings;

/* Nothing is recorded for delay_ns, then everything for duration_ns, repeated. */
struct period {
	uint64_t delay_ns;
	uint64_t duration_ns; /* 0 = to the end */
	uint64_t repeat;      /* 0 = forever */
	clockid_t clock;
};

/* One after the other; nothing is recorded after the last.  None: everything is recorded. */
struct periods {
	struct period items[PERIODS_MAX];
	size_t count;
};

/* A clock by its name (realtime monotonic cputime monotonic_raw realtime_coarse
 * monotonic_coarse boottime, in any case, also with CLOCK_ in front) or its number. */
enum kymo_status period_clock(const char *text, size_t length, clockid_t *clock_out);

/* Items DELAY:DURATION[:REPEAT[:CLOCK]], separated as in lists; times are seconds with fractions.
 * KYMO_USAGE with the item and what is wrong with it. */
enum kymo_status periods_parse(const char *text, clockid_t default_clock, struct periods *out,
			       struct problem *problem);

/* The periods that all these settings give together. */
enum kymo_status periods_from_settings(const struct settings *settings, struct periods *out,
				       struct problem *problem);

#endif
