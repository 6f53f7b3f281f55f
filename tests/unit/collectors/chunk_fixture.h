/* Chunks of a recording, from the heap, as collectors get them of the runtime.  Include it once, in
 * a test that is linked without the runtime. */
#ifndef KYMO_CHUNK_FIXTURE_H
#define KYMO_CHUNK_FIXTURE_H

#include <stdlib.h>

#include "runtime/control/sampling.h"

#define CHUNKS_MAX 32u

static struct kymo_chunk *chunks_given[CHUNKS_MAX];
static unsigned chunk_count;
static unsigned chunks_allowed = CHUNKS_MAX; /* further ones are refused */

struct kymo_chunk *kymo_sample_chunk(struct kymo_thread *thread, enum kymo_chunk_type type,
				     uint64_t payload, uint32_t record_size, uint64_t base)
{
	struct kymo_chunk *chunk;

	(void)thread;
	if (chunk_count >= chunks_allowed)
		return NULL;
	chunk = calloc(1, sizeof(*chunk) + payload);
	if (!chunk)
		abort();
	chunk->type = (uint16_t)type;
	chunk->size = sizeof(*chunk) + payload;
	chunk->record_size = record_size;
	chunk->base = base;
	chunks_given[chunk_count++] = chunk;
	return chunk;
}

static void chunks_release(void)
{
	while (chunk_count > 0)
		free(chunks_given[--chunk_count]);
	chunks_allowed = CHUNKS_MAX;
}

#endif
