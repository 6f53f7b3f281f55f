/* The same region on both sides: by identity, then by what of it stayed when code moved.
 *
 * A match is one to one.  Where several could be meant, none is, but for those of one name in
 * one file that both sides have as many of, which are taken in the order of their lines. */
#ifndef KYMO_DIFF_ALIGN_H
#define KYMO_DIFF_ALIGN_H

#include "model/compare/diff.h"

struct diff_alignment {
	struct diff_region *regions; /* values are 0; those of before first, in their order */
	uint32_t count;
	uint32_t *number[DIFF_SIDES]; /* per region of a side: index into regions, or DIFF_NONE */
};

/* Of the regions of each side that has_calls[side] marks. */
enum kymo_status diff_align(const struct region_union *const all[DIFF_SIDES],
			    bool *const has_calls[DIFF_SIDES], struct diff_alignment *out);
void diff_alignment_release(struct diff_alignment *alignment);

#endif
