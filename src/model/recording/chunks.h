/* The chunks of a recording: found once when it is opened, by walking the file from the header to
 * its end.  Only the reader's own files need this.
 *
 * A chunk whose header is invalid is skipped, up to the next valid one. */
#ifndef KYMO_CHUNKS_H
#define KYMO_CHUNKS_H

#include "model/recording/recording.h"

struct chunk {
	uint16_t type;
	uint16_t flags;
	uint32_t thread; /* owner or KYMO_NO_THREAD */
	uint32_t record_size;
	uint64_t offset; /* of the payload in the file */
	uint64_t bytes;	 /* of the payload that may be read */
	uint64_t base;
	uint64_t sequence;
};

struct chunk_index;

enum kymo_status chunk_index_new(struct recording *recording, struct chunk_index **out);
void chunk_index_free(struct chunk_index *index);

/* The chunks of a type in file order; EVENTS, STACKS, SAMPLES, FUNCTION_EVENTS, COUNTDOWNS, TIMED,
 * CALLERS and THROTTLED by thread, then in their order in time. */
const struct chunk *chunks_of(const struct recording *recording, enum kymo_chunk_type type,
			      size_t *count_out);
/* Those of one thread; only for these types. */
const struct chunk *chunks_of_thread(const struct recording *recording, enum kymo_chunk_type type,
				     uint32_t thread, size_t *count_out);
/* The chunk of that type that contains the byte at offset, or NULL.  Not for these types. */
const struct chunk *chunk_holding(const struct recording *recording, enum kymo_chunk_type type,
				  uint64_t offset);

/* The next record of a type's chunks, in file order: copies size bytes; records of later versions
 * are longer.  False at the end.  position begins as zeros. */
struct chunk_position {
	size_t chunk;
	uint64_t offset;
};
bool chunks_next_record(const struct recording *recording, enum kymo_chunk_type type,
			struct chunk_position *position, void *to, size_t size);

/* The chunk has been read and its pages may be dropped, so that reading a long trace keeps one
 * chunk in memory; a hint, the data stays readable. */
void chunk_drop_pages(const struct recording *recording, const struct chunk *chunk);

/* Add a line to recording->problems: what is wrong and what was left out. */
void recording_add_problem(struct recording *recording, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
