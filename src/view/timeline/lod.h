/* Level of detail of slices: slices too short to be visible are joined with their neighbours.
 *
 * Level k has a resolution: 0 for level 0, then 256 ns, each next level four times as coarse. A
 * slice belongs to the last level whose resolution it is not shorter than.  Level k shows the exact
 * slices of the levels from k on, and instead of shorter ones joined slices: runs of neighbours of
 * the same depth, each no longer than the resolution with gaps shorter than it.  A joined slice
 * lasts from the start of its first to the end of its last one and has the region with the most
 * time in it, if that is more than a quarter.
 *
 * Slices are processed as a stream: memory depends on depth and level, not on their number.  One
 * thread. */
#ifndef KYMO_LOD_H
#define KYMO_LOD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define LOD_LEVELS     24u /* at most: the last one's resolution is half a year */
#define LOD_FIRST_BITS 8u
#define LOD_STEP_BITS  2u
#define LOD_DEPTH_MAX  16384u /* deeper slices are left out */

static inline uint64_t lod_resolution(unsigned int level)
{
	return level ? UINT64_C(1) << (LOD_FIRST_BITS + LOD_STEP_BITS * (level - 1)) : 0;
}

struct lod_item {
	uint64_t start_ns, end_ns;
	uint64_t busy_ns; /* of that, in the joined slices */
	uint64_t count;	  /* of them; 1 = an original slice */
	uint32_t region, depth;
};

enum lod_kind { LOD_EXACT, LOD_JOINED, LOD_PARTS };

/* EXACT: a slice, at its own level; JOINED: at each level from 1 on whose resolution is above
 * it.  Those of one depth, level and part come in the order of time. */
typedef void (*lod_put_fn)(void *context, unsigned int level, enum lod_kind part,
			   const struct lod_item *item);

struct lod_join;

#endif
