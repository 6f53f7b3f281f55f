/* When recording was switched off and on again from outside, for one thread: from the recording's
 * header, since no record says so. */
#ifndef KYMO_FUNCTION_STOPS_H
#define KYMO_FUNCTION_STOPS_H

#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

#define FUNCTION_EVENTS_STOPS_MAX (KYMO_GATE_LOG_COUNT / 2 + 1)

struct function_events_stops {
	struct function_events_stop {
		uint64_t off, on; /* on: UINT64_MAX = never */
	} items[FUNCTION_EVENTS_STOPS_MAX];
	uint32_t count, next; /* next: the first one not yet followed by a record */
};

/* Read from the header; the log is a ring buffer, overwritten stops are not known. */
static inline struct function_events_stops
function_events_stops_of(const struct kymo_header *header)
{
	struct function_events_stops stops = {.count = 0};
	uint32_t last = header->gate, number, capacity = KYMO_GATE_LOG_COUNT - 1;
	uint64_t before = 0;

	number = last > capacity ? last - capacity : 1;
	for (; number <= last && number != 0; number++) {
		uint64_t time = header->gate_log[number % KYMO_GATE_LOG_COUNT];

		if (time == 0 || time < before)
			break;
		before = time;
		if (number & KYMO_GATE_OFF)
			stops.items[stops.count++] =
				(struct function_events_stop){time, UINT64_MAX};
		else if (stops.count)
			stops.items[stops.count - 1].on = time;
	}
	return stops;
}

/* At most the time when recording was switched off for good. */
static inline uint64_t function_events_stops_cut(const struct function_events_stops *stops,
						 uint64_t ticks)
{
	const struct function_events_stop *last =
		stops->count ? &stops->items[stops->count - 1] : NULL;

	return last && last->on == UINT64_MAX && last->off < ticks ? last->off : ticks;
}

#endif
