/* Matches the regions of both sides: by identity, then by the properties that survive moved code.
 *
 * A match is one to one.  Ambiguous ones are not matched, except regions of one name in one file of
 * which both sides have equally many: these are matched in the order of their lines. */
#ifndef KYMO_DIFF_ALIGN_H
#define KYMO_DIFF_ALIGN_H

#include "model/compare/diff.h"

struct diff_alignment {
	struct diff_region
		*regions; /* values are 0; those of the side before first, in their order */
	uint32_t count;
	uint32_t *number[DIFF_SIDES]; /* per region of a side: index into regions, or DIFF_NONE */
};

/* Match the regions of each side that has_calls[side] marks. */
enum kymo_status diff_align(const struct region_union *const all[DIFF_SIDES],
			    bool *const has_calls[DIFF_SIDES], struct diff_alignment *out);
void diff_alignment_release(struct diff_alignment *alignment);

#endif
