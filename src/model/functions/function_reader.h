/* State of a reader of trampolines' records, and how it decodes the bytes of one. */
#ifndef KYMO_FUNCTION_READER_H
#define KYMO_FUNCTION_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format/format.h"
#include "model/functions/function_stops.h"
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

struct function_events_reader { /* of one chunk */
	const unsigned char *at, *end;
	uint64_t ticks;	    /* of the previous record */
	uint64_t away, own; /* ticks of marks so far, which are not the program's time */
	bool is_marked;	    /* the chunk has marks of time */
	bool is_malformed, is_held;
	uint64_t on; /* a record at or after it comes after the next stop; UINT64_MAX: none does */
	struct function_events_stops *stops; /* NULL = ignore them */
	struct function_events_record held;
};

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

/* Eight bytes; those beyond the end of the chunk read as zeros. */
static inline uint64_t function_events_word(const unsigned char *at, const unsigned char *end)
{
	uint64_t word = 0;

	if (__builtin_expect(end - at >= (ptrdiff_t)sizeof(word), 1))
		memcpy(&word, at, sizeof(word));
	else if (end > at)
		memcpy(&word, at, (size_t)(end - at));
	return word;
}

/* Nothing after it can be read; report it only once. */
static inline bool function_events_malformed(struct function_events_reader *reader)
{
	reader->is_malformed = true;
	reader->at = reader->end;
	return false;
}

/* The record has size bytes followed, if ticks is all ones, by a time. */
static inline bool function_events_take(struct function_events_reader *reader, unsigned size,
					uint64_t ticks, uint64_t long_ticks,
					struct function_events_record *out)
{
	const unsigned char *next = reader->at + size;

	if (__builtin_expect(ticks == long_ticks, 0)) {
		uint64_t time = function_events_word(next, reader->end);

		next += PATCH_TIME_BYTES;
		ticks = time > reader->ticks ? time - reader->ticks : 0;
	}
	if (__builtin_expect(next > reader->end, 0)) {
		return function_events_malformed(reader);
	}
	reader->at = next;
	reader->ticks += ticks;
	out->ticks = reader->ticks;
	return true;
}

#endif
