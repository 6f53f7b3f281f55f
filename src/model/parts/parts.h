/* Calls and times of each region by thread, process, rank and run.
 *
 * A part is one thread of one process.  Parts come from the trees of a run; of a merged run from
 * the parts it stores of the merged recordings.  Borrows the run and the union of its regions.
 * Read-only once made. */
#ifndef KYMO_PARTS_H
#define KYMO_PARTS_H

#include "model/profile/loaded_run.h"
#include "model/parts/parts_types.h"
#include "model/profile/region_union.h"

enum kymo_status parts_new(const struct loaded_run *loaded, const struct region_union *regions,
			   struct parts **out, struct problem *problem);
void parts_free(struct parts *parts);

#endif
