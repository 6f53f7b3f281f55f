/* Choosing and reading the recording's clock: the processor's counter if its rate is constant. */
#include "platform/ticks.h"

#include <string.h>
#include <time.h>

#include "platform/processor_detect.h"
#include "platform/systemclock.h"

#define PAIR_ATTEMPTS 5

static enum kymo_clock_kind selected_kind = KYMO_CLOCK_MONOTONIC;
static clockid_t selected_clock = CLOCK_MONOTONIC;

static void select_kind(enum kymo_clock_kind kind)
{
	selected_kind = kind;
	selected_clock = kind == KYMO_CLOCK_MONOTONIC_RAW ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC;
}

bool clock_select(const char *name)
{
	enum kymo_clock_kind counter = processor_clock();

	select_kind(counter);
	if (!name || !strcmp(name, "auto"))
		return true;
	if (!strcmp(name, "tsc"))
		return counter != KYMO_CLOCK_MONOTONIC;
	if (!strcmp(name, "monotonic"))
		select_kind(KYMO_CLOCK_MONOTONIC);
	else if (!strcmp(name, "monotonic_raw"))
		select_kind(KYMO_CLOCK_MONOTONIC_RAW);
	else
		return false;
	return true;
}

enum kymo_clock_kind clock_kind(void)
{
	return selected_kind;
}

bool clock_is_ticks(void)
{
	return selected_kind == KYMO_CLOCK_TSC || selected_kind == KYMO_CLOCK_CNTVCT;
}

uint64_t ticks_read_fallback(void)
{
	return systemclock_ns(selected_clock);
}

uint64_t ticks_now(void)
{
	return clock_is_ticks() ? ticks_read() : ticks_read_fallback();
}

/* The system clocks are read between two readings of the ticks; the attempt with the narrowest
 * gap was interrupted least. */
struct kymo_clock_pair clock_read_pair(void)
{
	struct kymo_clock_pair best = {0, 0, 0};
	uint64_t best_gap = UINT64_MAX;

	for (int i = 0; i < PAIR_ATTEMPTS; i++) {
		uint64_t before = ticks_now();
		uint64_t monotonic = systemclock_ns(CLOCK_MONOTONIC);
		uint64_t realtime = systemclock_ns(CLOCK_REALTIME);
		uint64_t gap = ticks_now() - before;

		if (gap < best_gap) {
			best_gap = gap;
			best.ticks = before + gap / 2;
			best.monotonic_ns = monotonic;
			best.realtime_ns = realtime;
		}
	}
	return best;
}

uint64_t clock_ns_at(clockid_t clock, uint64_t ticks, double ticks_per_ns)
{
	uint64_t best_gap = UINT64_MAX, at = ticks, ns = 0, late_ns;

	for (int i = 0; i < PAIR_ATTEMPTS; i++) {
		uint64_t before = ticks_now();
		uint64_t now_ns = systemclock_ns(clock);
		uint64_t gap = ticks_now() - before;

		if (gap < best_gap) {
			best_gap = gap;
			at = before + gap / 2;
			ns = now_ns;
		}
	}
	late_ns = at > ticks ? (uint64_t)((double)(at - ticks) / ticks_per_ns) : 0;
	return late_ns < ns ? ns - late_ns : 0;
}
