/* Space for the points of one writer. */
#include "runtime/store/points.h"

#include "runtime/store/store.h"

#define PAYLOAD_FIRST (KYMO_CHUNK_ALIGN - sizeof(struct kymo_chunk))
#define PAYLOAD_MAX   (UINT64_C(256) << 10)
#define GROWTH_FACTOR 2u

struct kymo_point *points_space(struct kymo_chunk **link, uint32_t owner)
{
	struct kymo_chunk *chunk = *link;
	uint64_t payload = PAYLOAD_FIRST;

	if (chunk && chunk->size - sizeof(*chunk) - chunk->used >= sizeof(struct kymo_point))
		return (struct kymo_point *)((char *)(chunk + 1) + chunk->used);
	if (chunk)
		payload = chunk->size * GROWTH_FACTOR - sizeof(*chunk);
	if (store.is_full || !store_lock())
		return NULL;
	chunk = store_chunk(KYMO_CHUNK_POINTS, payload < PAYLOAD_MAX ? payload : PAYLOAD_MAX, owner,
			    sizeof(struct kymo_point));
	store_unlock();
	if (chunk)
		*link = chunk;
	return chunk ? (struct kymo_point *)(chunk + 1) : NULL;
}
