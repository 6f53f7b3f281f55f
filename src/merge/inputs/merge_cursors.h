/* One cursor for each spilled run: what is read side by side. */
#ifndef KYMO_MERGE_CURSORS_H
#define KYMO_MERGE_CURSORS_H

#include "merge/inputs/merge_spill.h"

/* Of nodes, or of regions; NULL = no memory.  As many as there are runs. */
struct merge_cursor *merge_cursors_new(const struct merge_spill *spill, bool is_of_nodes);
void merge_cursors_free(struct merge_cursor *cursors, size_t count);
/* Fails where one of them could not read. */
enum kymo_status merge_cursors_check(const struct merge_cursor *cursors, size_t count,
				     struct problem *problem);

#endif
