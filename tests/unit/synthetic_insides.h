/* What the files that make synthetic recordings share (synthetic.h): the recording itself, and how
 * chunks grow.  Running out of memory aborts the test. */
#ifndef KYMO_SYNTHETIC_INSIDES_H
#define KYMO_SYNTHETIC_INSIDES_H

#include "base/hashset.h"
#include "synthetic.h"

struct chunk_cursor {	 /* the chunk that a table, or a thread's records, grow in */
	uint64_t offset; /* 0 = none yet */
	uint64_t tail;	 /* bytes written, when used is not kept */
};

struct synthetic_thread {
	struct chunk_cursor nodes, events, stacks, samples;
	uint32_t current;
	uint32_t stack_count;
	uint64_t event_base;
	uint64_t sample_ticks; /* of the last one in the chunk */
};

struct synthetic {
	unsigned char *bytes;
	uint64_t payload;
	uint64_t sequence;
	struct chunk_cursor tables[KYMO_CHUNK_TYPES];
	uint32_t record_counts[KYMO_CHUNK_TYPES];
	uint64_t *region_offsets;
	uint64_t *thread_offsets;
	struct synthetic_thread *threads;
	struct hashset paths;  /* parent and region -> node reference */
	struct hashset stacks; /* thread, parent and frame -> id */
	uint64_t code_offsets[1024];
};

static inline uint64_t synthetic_ticks(uint64_t time)
{
	return SYNTHETIC_START_TICKS + time;
}

static inline struct kymo_chunk *synthetic_chunk_at(struct synthetic *synthetic, uint64_t offset)
{
	return (struct kymo_chunk *)(synthetic->bytes + offset);
}

/* The pointer, which is neither NULL nor MAP_FAILED. */
void *synthetic_must(void *pointer);
/* Room for size bytes behind cursor, in its chunk or a new one. */
void *synthetic_append(struct synthetic *synthetic, struct chunk_cursor *cursor, uint16_t type,
		       uint32_t thread, uint32_t record_size, uint64_t size);
/* Append a record to a table that numbers its records; returns the number. */
uint32_t synthetic_append_numbered(struct synthetic *synthetic, uint16_t type, const void *record,
				   uint32_t size, uint64_t *offset_out);
/* All regions of the thread that are open end. */
void synthetic_thread_unwind(struct synthetic *synthetic, uint32_t thread, uint64_t time);

#endif
