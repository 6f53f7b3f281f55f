/* What each run of a side has of every region. */
#ifndef KYMO_DIFF_VALUES_H
#define KYMO_DIFF_VALUES_H

#include "model/compare/diff.h"

/* Put the loaded runs of a side together: facts, trees and rows.  What is made is released by
 * diff_runs_release(), also after a failure. */
enum kymo_status diff_runs_init(struct diff_runs *side, const struct loaded_run *const *runs,
				size_t count, struct problem *problem);
void diff_runs_release(struct diff_runs *side);

/* Fill the moments of all regions on that side, and those of the side itself. */
enum kymo_status diff_values_fill(struct diff *diff, enum diff_side side);

#endif
