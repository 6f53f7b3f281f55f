/* The records that trampolines write (patch/apply/patchabi.h), one after the other.
 *
 * Any bytes may come: a record that is cut off, or of no known kind, ends the chunk and is said
 * so.  Time never goes back within a chunk.  Nothing is allocated. */
#ifndef KYMO_FUNCTION_EVENTS_H
#define KYMO_FUNCTION_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format/format.h"
#include "patch/apply/patchabi.h"

enum function_events_kind {
	FUNCTION_EVENTS_ENTER,
	FUNCTION_EVENTS_EXIT,
	FUNCTION_EVENTS_LOST,
	FUNCTION_EVENTS_OFF,
	FUNCTION_EVENTS_ON
};

struct function_events_record {
	enum function_events_kind kind;
	uint32_t slot; /* ENTER, EXIT */
	uint32_t id;   /* ENTER */
	uint64_t ticks;
};

/* When recording was switched off and on again from outside, which no record says: from the
 * recording's header, for one thread. */
#define FUNCTION_EVENTS_STOPS_MAX (KYMO_GATE_LOG_COUNT / 2 + 1)

struct function_events_stops {
	struct function_events_stop {
		uint64_t off, on; /* on: UINT64_MAX = not any more */
	} items[FUNCTION_EVENTS_STOPS_MAX];
	uint32_t count, next; /* next: the first that no record was read behind */
};

struct function_events_reader { /* of one chunk */
	const unsigned char *at, *end;
	uint64_t ticks; /* of the record before */
	bool is_marked; /* the chunk has marks of time */
	bool is_malformed, is_held;
	uint64_t on; /* a record at or after it comes behind the next stop; UINT64_MAX: none does */
	struct function_events_stops *stops; /* NULL = they are all the same */
	struct function_events_record held;
};

/* What the header tells; the log is a ring, and what it has lost is not known. */
static inline struct function_events_stops
function_events_stops_of(const struct kymo_header *header)
{
	struct function_events_stops stops = {.count = 0};
	uint32_t last = header->gate, number, room = KYMO_GATE_LOG_COUNT - 1;
	uint64_t before = 0;

	number = last > room ? last - room : 1;
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

/* Not later than recording was switched off for good. */
static inline uint64_t function_events_stops_cut(const struct function_events_stops *stops,
						 uint64_t ticks)
{
	const struct function_events_stop *last =
		stops->count ? &stops->items[stops->count - 1] : NULL;

	return last && last->on == UINT64_MAX && last->off < ticks ? last->off : ticks;
}

/* When a chunk's first record is at the earliest: not before the one before it, at latest, nor,
 * by a clock that goes on now and then only, before the thread. */
static inline uint64_t pairs_earliest(uint64_t base, uint16_t flags, uint64_t latest,
				      uint64_t thread_start)
{
	if (flags & KYMO_FUNCTION_EVENTS_MARKED && latest < thread_start)
		latest = thread_start;
	return base > latest ? base : latest;
}

/* flags: of the chunk */
static inline struct function_events_reader function_events_reader_begin(const unsigned char *bytes,
									 uint64_t size,
									 uint64_t base,
									 uint16_t flags)
{
	return (struct function_events_reader){.at = bytes,
					       .end = bytes + size,
					       .ticks = base,
					       .is_marked = flags & KYMO_FUNCTION_EVENTS_MARKED,
					       .on = UINT64_MAX};
}

/* An OFF comes before the first record behind each of the stops. */
static inline void function_events_reader_follow(struct function_events_reader *reader,
						 struct function_events_stops *stops)
{
	reader->stops = stops;
	reader->on = stops->next < stops->count ? stops->items[stops->next].on : UINT64_MAX;
}

/* Eight bytes; those behind the end of the chunk are zeros. */
static inline uint64_t function_events_word(const unsigned char *at, const unsigned char *end)
{
	uint64_t word = 0;

	if (__builtin_expect(end - at >= (ptrdiff_t)sizeof(word), 1))
		memcpy(&word, at, sizeof(word));
	else if (end > at)
		memcpy(&word, at, (size_t)(end - at));
	return word;
}

/* Nothing behind it can be read, nor is it to be found once more. */
static inline bool function_events_malformed(struct function_events_reader *reader)
{
	reader->is_malformed = true;
	reader->at = reader->end;
	return false;
}

/* The record has size bytes and, with all ones for ticks, a time behind them. */
static inline bool function_events_take(struct function_events_reader *reader, unsigned size,
					uint64_t ticks, uint64_t long_ticks,
					struct function_events_record *out)
{
	const unsigned char *behind = reader->at + size;

	if (__builtin_expect(ticks == long_ticks, 0)) {
		uint64_t time = function_events_word(behind, reader->end);

		behind += PATCH_TIME_BYTES;
		ticks = time > reader->ticks ? time - reader->ticks : 0;
	}
	if (__builtin_expect(behind > reader->end, 0)) {
		return function_events_malformed(reader);
	}
	reader->at = behind;
	reader->ticks += ticks;
	out->ticks = reader->ticks;
	return true;
}

static inline bool function_events_mark(struct function_events_reader *reader, unsigned mark,
					struct function_events_record *out)
{
	static const enum function_events_kind kinds[] = {
		[PATCH_MARK_LOST] = FUNCTION_EVENTS_LOST,
		[PATCH_MARK_OFF] = FUNCTION_EVENTS_OFF,
		[PATCH_MARK_ON] = FUNCTION_EVENTS_ON,
	};

	if (mark == PATCH_MARK_END)
		return false;
	if (mark >= sizeof(kinds) / sizeof(*kinds)) {
		return function_events_malformed(reader);
	}
	out->kind = kinds[mark];
	return function_events_take(reader, 1, 0, 0, out);
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

/* Over what was never written; false: there is nothing else. */
static inline bool function_events_skip(struct function_events_reader *reader)
{
	while (reader->at < reader->end) {
		uint64_t word = function_events_word(reader->at, reader->end);

		if (word) {
			reader->at += (unsigned)__builtin_ctzll(word) / 8;
			return true;
		}
		reader->at += reader->end - reader->at < 8 ? reader->end - reader->at : 8;
	}
	return false;
}

/* A record of a chunk with marks of time. */
static inline bool function_events_read_marked(struct function_events_reader *reader,
					       struct function_events_record *out)
{
	const uint64_t exit_zeros = 0xf000;

	while (function_events_skip(reader)) {
		uint64_t word = function_events_word(reader->at, reader->end);

		out->slot = word >> PATCH_MARKED_SLOT_SHIFT & PATCH_SLOT_MASK;
		if ((word & 3) == 1) {
			out->kind = FUNCTION_EVENTS_ENTER;
			out->id = word >> PATCH_MARKED_ID_SHIFT & PATCH_ID_MAX;
			return function_events_take(reader, PATCH_MARKED_ENTER_BYTES, 0, 1, out);
		}
		if ((word & (3 | exit_zeros)) == 2) {
			out->kind = FUNCTION_EVENTS_EXIT;
			return function_events_take(reader, PATCH_MARKED_EXIT_BYTES, 0, 1, out);
		}
		if (word & 3)
			return function_events_malformed(reader);
		if ((word >> 2 & 63) != PATCH_MARK_TIME)
			return function_events_mark(reader, word >> 2 & 63, out);
		if (!function_events_take(reader, 1, 0, 0, out))
			return false;
	}
	return false;
}

/* False at the end of what was written. */
static inline bool function_events_read(struct function_events_reader *reader,
					struct function_events_record *out)
{
	const uint64_t enter_ticks = (1u << PATCH_ENTER_TICKS_BITS) - 1;
	const uint64_t exit_ticks = (1u << PATCH_EXIT_TICKS_BITS) - 1;
	uint64_t word;

	if (reader->is_marked)
		return function_events_read_marked(reader, out);
	if (reader->at >= reader->end)
		return false;
	word = function_events_word(reader->at, reader->end);
	if (word & 1) {
		out->kind = FUNCTION_EVENTS_ENTER;
		out->slot = word >> PATCH_ENTER_SLOT_SHIFT & PATCH_SLOT_MASK;
		out->id = word >> PATCH_ENTER_ID_SHIFT & PATCH_ID_MAX;
		return function_events_take(reader, PATCH_ENTER_BYTES, word >> 1 & enter_ticks,
					    enter_ticks, out);
	}
	if (word & 2) {
		out->kind = FUNCTION_EVENTS_EXIT;
		out->slot = word >> PATCH_EXIT_SLOT_SHIFT & PATCH_SLOT_MASK;
		return function_events_take(reader, PATCH_EXIT_BYTES,
					    word >> PATCH_EXIT_TICKS_SHIFT & exit_ticks, exit_ticks,
					    out);
	}
	return function_events_mark(reader, word >> 2 & 63, out);
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
