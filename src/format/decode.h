/* Reading the event records of one chunk, word by word.  Trusts nothing: a record that does not
 * end inside the chunk ends the chunk.  Allocates nothing, does no I/O.  Context: any. */
#ifndef KYMO_DECODE_H
#define KYMO_DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "format/format.h"

struct event_reader {
	const uint64_t *words; /* payload of the chunk */
	size_t count;
	size_t next;
	uint64_t base;	   /* ticks that deltas are relative to */
	bool is_malformed; /* the chunk ended inside a record */
};

/* Wide enters and leaves are returned as ENTER and LEAVE; TIME records and unknown extensions
 * are consumed. */
struct event_record {
	enum kymo_event_kind kind;
	enum kymo_event_extension extension; /* of kind EXTENDED */
	uint32_t region;		     /* UINT32_MAX if invalid */
	uint64_t ticks;			     /* absolute */
	uint64_t word;			     /* of RESUME, ANNOTATED, INSTANT and LOST */
	uint64_t second;		     /* of SEND and RECEIVE: the id that both have */
};

static inline struct event_reader event_reader_begin(const void *payload, uint64_t bytes,
						     uint64_t base)
{
	return (struct event_reader){
		.words = payload, .count = (size_t)(bytes / sizeof(uint64_t)), .base = base};
}

/* The next record, except values; false at the end of the chunk. */
bool event_reader_next(struct event_reader *reader, struct event_record *out);

/* The next record where values are possible: after the event they belong to. */
enum event_reader_value {
	EVENT_VALUE,	/* a value; its words were consumed */
	EVENT_NO_VALUE, /* something else, which was not consumed */
	EVENT_CHUNK_END,
};
enum event_reader_value event_reader_value(struct event_reader *reader, uint64_t words_out[2]);

#endif
