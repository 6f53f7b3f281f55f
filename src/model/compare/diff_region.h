/* One region, and one call path, on both sides. */
#ifndef KYMO_DIFF_REGION_H
#define KYMO_DIFF_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/compare/ttest.h"
#include "model/profile/rows.h"

enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

struct diff_value {
	double count, self_ns, total_ns;
};

/* How a region of one side was found on the other: not at all; with all properties equal; in the
 * same file, on another line; in another file, where nothing else has its name; as the only one of
 * its kind of wait, for another object. */
enum diff_match { DIFF_ALONE, DIFF_BY_IDENTITY, DIFF_BY_NAME, DIFF_BY_FILE, DIFF_BY_KIND };

struct diff_region {
	const struct region *region[DIFF_SIDES]; /* NULL = not there */
	enum diff_match match;
	struct diff_value value[DIFF_SIDES];
	/* Over the runs of the side; runs without the region count as 0. */
	struct moments self[DIFF_SIDES], total[DIFF_SIDES], count[DIFF_SIDES], mean[DIFF_SIDES];
	/* Errors of those means, if the function was counted: is_known. */
	struct calltree_estimate estimate[DIFF_SIDES];
};

/* The region after, or the one before if it no longer exists. */
static inline const struct region *diff_region_shown(const struct diff_region *region)
{
	return region->region[DIFF_AFTER] ? region->region[DIFF_AFTER]
					  : region->region[DIFF_BEFORE];
}

/* Time outside any region. */
static inline bool diff_is_rest(const struct diff_region *region)
{
	return diff_region_shown(region)->kind == KYMO_REGION_ROOT;
}

#define DIFF_NONE UINT32_MAX

struct diff_node {
	uint32_t region;
	uint32_t parent; /* indexes into nodes; DIFF_NONE = none */
	uint32_t first_child, next_sibling;
	uint32_t depth; /* 0 = outermost */
	struct diff_value value[DIFF_SIDES];
	/* Bounds of the count if it is an estimate, else both are the count. */
	double count_low[DIFF_SIDES], count_high[DIFF_SIDES];
};

#endif
