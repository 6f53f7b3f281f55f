/* The records that trampolines write (patch/apply/patchabi.h), one after the other.
 *
 * Any bytes may come: a record that is cut off, or of no known kind, ends the chunk and is said
 * so.  Time never goes back within a chunk.  Nothing is allocated. */
#ifndef KYMO_FUNCTION_EVENTS_H
#define KYMO_FUNCTION_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "model/functions/function_record.h"
#include "model/functions/function_stops.h"

/* When a chunk's first record is at the earliest: not before the one before it, at latest, nor,
 * by a clock that goes on now and then only, before the thread. */
static inline uint64_t pairs_earliest(uint64_t base, uint16_t flags, uint64_t latest,
				      uint64_t thread_start)
{
	if (flags & KYMO_FUNCTION_EVENTS_MARKED && latest < thread_start)
		latest = thread_start;
	return base > latest ? base : latest;
}

/* An OFF comes before the first record behind each of the stops. */
static inline void function_events_reader_follow(struct function_events_reader *reader,
						 struct function_events_stops *stops)
{
	reader->stops = stops;
	reader->on = stops->next < stops->count ? stops->items[stops->next].on : UINT64_MAX;
}

/* Put an OFF before the record that was read; before: the time of the one before that. */
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

/* Likewise, with the stops that no record tells of. */
static inline bool function_events_next(struct function_events_reader *reader,
					struct function_events_record *out)
{
	uint64_t before = reader->ticks;

	if (__builtin_expect(reader->is_held, 0)) {
		*out = reader->held;
		reader->is_held = false;
		before = out->ticks; /* further stops in between say nothing more */
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
