/* The block of exact sums after the nodes of a merged recording. */
#ifndef KYMO_NODE_EXACT_H
#define KYMO_NODE_EXACT_H

#include "model/recording/chunks.h"

/* NULL: there is none.  Points into the mapping, whose content is not trusted. */
static inline const struct kymo_node_exact *node_exact(const struct recording *recording,
						       const struct chunk *chunk,
						       const struct kymo_node *node)
{
	uint32_t blocks = 1 + recording->header.metric_count;

	if (!(recording->header.flags & KYMO_HEADER_MERGED) ||
	    chunk->record_size < KYMO_NODE_UNIT * (blocks + 1))
		return NULL;
	return (const struct kymo_node_exact *)(const void *)((const unsigned char *)node +
							      blocks * KYMO_NODE_UNIT);
}

#endif
