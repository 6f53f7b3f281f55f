/* The meaning of a recording's ticks, and one reading of all clocks at the same time.  Values are
 * part of the recording's format. */
#ifndef KYMO_CLOCK_PAIR_H
#define KYMO_CLOCK_PAIR_H

#include <stdint.h>

enum kymo_clock_kind {
	KYMO_CLOCK_MONOTONIC = 1, /* ticks are nanoseconds of CLOCK_MONOTONIC */
	KYMO_CLOCK_TSC = 2,	  /* x86 time stamp counter, invariant */
	KYMO_CLOCK_CNTVCT = 3,	  /* aarch64 virtual counter */
	KYMO_CLOCK_MONOTONIC_RAW = 4,
};

/* One reading of all clocks at the same time. */
struct kymo_clock_pair {
	uint64_t ticks;
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
};

#endif
