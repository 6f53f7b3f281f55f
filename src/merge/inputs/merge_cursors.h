/* One cursor for each spilled run: all are read in parallel. */
#ifndef KYMO_MERGE_CURSORS_H
#define KYMO_MERGE_CURSORS_H

#include "merge/inputs/merge_spill.h"

/* Of nodes, or of regions; NULL = no memory.  One per run. */
struct merge_cursor *merge_cursors_new(const struct merge_spill *spill, bool is_of_nodes);
void merge_cursors_free(struct merge_cursor *cursors, size_t count);
/* Fails if one of them could not read. */
enum kymo_status merge_cursors_check(const struct merge_cursor *cursors, size_t count,
				     struct problem *problem);

#endif
