/* Level of detail of slices: what is too short to be seen is joined with its neighbours.
 *
 * Level k has a resolution: 0 for level 0, then 256 ns, each next level four times as coarse.
 * A slice is of the last level whose resolution it is not shorter than.  What level k shows is
 * the exact slices of the levels from k on, and in the place of shorter ones joined slices:
 * runs of neighbours of the same depth, each no longer than the resolution with gaps shorter
 * than it.  A joined slice lasts from the start of its first to the end of its last one and
 * has the region with the most time in it, where that has more than a quarter.
 *
 * Slices stream through: memory is by depth and level, never by their number.  One thread. */
#ifndef KYMO_LOD_H
#define KYMO_LOD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define LOD_LEVELS     24u /* at most: the last one's resolution is half a year */
#define LOD_FIRST_BITS 8u
#define LOD_STEP_BITS  2u
#define LOD_DEPTH_MAX  16384u /* slices deeper than that are not taken */

static inline uint64_t lod_resolution(unsigned int level)
{
	return level ? UINT64_C(1) << (LOD_FIRST_BITS + LOD_STEP_BITS * (level - 1)) : 0;
}

struct lod_item {
	uint64_t start_ns, end_ns;
	uint64_t busy_ns; /* of that, in the slices that were joined */
	uint64_t count;	  /* of them; 1 = a slice as it was */
	uint32_t region, depth;
};

enum lod_kind { LOD_EXACT, LOD_JOINED, LOD_PARTS };

/* EXACT: a slice, at its own level; JOINED: at each level from 1 on whose resolution is above
 * it.  Those of one depth, level and part come in the order of time. */
typedef void (*lod_put_fn)(void *context, unsigned int level, enum lod_kind part,
			   const struct lod_item *item);

struct lod_join;

#endif
