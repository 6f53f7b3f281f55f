/* Points of series in chunks of one writer each, so that writing takes no lock. */
#ifndef KYMO_POINTS_H
#define KYMO_POINTS_H

#include "format/format.h"

/* Space for a point in *chunk, or in a new and larger one that replaces it; NULL if there is
 * none.  Not visible until it is published.  The lock is not held. */
struct kymo_point *points_space(struct kymo_chunk **chunk, uint32_t owner);

static inline void points_publish(struct kymo_chunk *chunk)
{
	__atomic_store_n(&chunk->used, chunk->used + sizeof(struct kymo_point), __ATOMIC_RELEASE);
}

#endif
