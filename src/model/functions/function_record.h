/* Decodes one record that trampolines write (patch/apply/patchabi.h), with marks of time or
 * without.
 *
 * Accepts any bytes: a truncated or unknown record ends the chunk and is reported.  Time never
 * decreases within a chunk.  Nothing is allocated. */
#ifndef KYMO_FUNCTION_RECORD_H
#define KYMO_FUNCTION_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format/format.h"
#include "model/functions/function_reader.h"
#include "model/functions/function_stops.h"
#include "patch/apply/patchabi.h"

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

/* True: a mark of foreign ticks was read.  False: there is none, or it is truncated. */
static inline bool function_events_foreign(struct function_events_reader *reader, unsigned mark)
{
	uint64_t ticks;

	if (mark != PATCH_MARK_AWAY && mark != PATCH_MARK_OWN)
		return false;
	if (reader->end - reader->at < (ptrdiff_t)PATCH_MARK_BYTES) {
		function_events_malformed(reader);
		return false;
	}
	ticks = function_events_word(reader->at + 1, reader->end);
	if (mark == PATCH_MARK_AWAY)
		reader->away += ticks;
	else
		reader->own += ticks;
	reader->at += PATCH_MARK_BYTES;
	return true;
}

/* Skip bytes that were never written; false: nothing else follows. */
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
		if (function_events_foreign(reader, word >> 2 & 63))
			continue;
		if (reader->is_malformed)
			return false;
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
	do {
		if (reader->at >= reader->end)
			return false;
		word = function_events_word(reader->at, reader->end);
	} while (__builtin_expect((word & 3) == 0, 0) &&
		 function_events_foreign(reader, word >> 2 & 63));
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
	return !reader->is_malformed && function_events_mark(reader, word >> 2 & 63, out);
}

#endif
