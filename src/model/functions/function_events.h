/* Iterates over the records that trampolines write (patch/apply/patchabi.h).
 *
 * Accepts any bytes: a truncated or unknown record ends the chunk and is reported.  Time never
 * decreases within a chunk.  Nothing is allocated. */
#ifndef KYMO_FUNCTION_EVENTS_H
#define KYMO_FUNCTION_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "model/functions/function_record.h"
#include "model/functions/function_stops.h"

/* The earliest time of a chunk's first record: not before the record before it (latest) nor, with a
 * coarse clock, before the thread. */
static inline uint64_t pairs_earliest(uint64_t base, uint16_t flags, uint64_t latest,
				      uint64_t thread_start)
{
	if (flags & KYMO_FUNCTION_EVENTS_MARKED && latest < thread_start)
		latest = thread_start;
	return base > latest ? base : latest;
}

/* An OFF is inserted before the first record after each of the stops. */
static inline void function_events_reader_follow(struct function_events_reader *reader,
						 struct function_events_stops *stops)
{
	reader->stops = stops;
	reader->on = stops->next < stops->count ? stops->items[stops->next].on : UINT64_MAX;
}

/* Insert an OFF before the record just read; before: the time of the previous record. */
static inline void function_events_stop(struct function_events_reader *reader, uint64_t before,
					struct function_events_record *record)
{
	uint64_t off = reader->stops->items[reader->stops->next++].off;

	reader->held = *record;
	reader->is_held = true;
	record->kind = FUNCTION_EVENTS_OFF;
	record->ticks = off > before ? off : before;
	function_events_reader_follow(reader, reader->stops);
}

/* Likewise, with the stops that have no record. */
static inline bool function_events_next(struct function_events_reader *reader,
					struct function_events_record *out)
{
	uint64_t before = reader->ticks;

	if (__builtin_expect(reader->is_held, 0)) {
		*out = reader->held;
		reader->is_held = false;
		before = out->ticks; /* further stops in between add nothing */
		while (reader->on <= before && reader->on != UINT64_MAX) {
			reader->stops->next++;
			function_events_reader_follow(reader, reader->stops);
		}
		return true;
	}
	if (!function_events_read(reader, out))
		return false;
	if (__builtin_expect(out->ticks >= reader->on && reader->on != UINT64_MAX, 0))
		function_events_stop(reader, before, out);
	return true;
}

#endif
