/* Pending items of a tile: collected, then sorted and encoded. */
#ifndef KYMO_LOD_TILES_H
#define KYMO_LOD_TILES_H

#include "view/timeline/lod_store.h"

#define LOD_TILE_ITEMS	8192u
#define LOD_TILE_PACKED 4096u /* tiles from this size on are compressed individually */

struct lod_pending {
	struct lod_item *items; /* LOD_TILE_ITEMS, or NULL before the first */
	uint32_t count;
};

/* The tile of all pending items, which are cleared; its bytes are of command/xalloc.h.
 *
 * Its bytes: numbers (LEB128): how many depths; of each: depth, number of items, and of each item:
 * start since the end of the previous one (since the tile's start at first), length, region; of
 * joined items then also count, and of more than one the part of the length that is not busy. */
struct lod_tile lod_tile_make(struct lod_pending *pending, unsigned int level, enum lod_kind part);

/* Bytes of the page that a tile takes, at most. */
uint64_t lod_tile_cost(const struct lod_tile *tile);

#endif
