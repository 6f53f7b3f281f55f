/* The values of every region in each run of a side. */
#ifndef KYMO_DIFF_VALUES_H
#define KYMO_DIFF_VALUES_H

#include "model/compare/diff.h"

/* Load the facts, trees and rows of a side's runs.  diff_runs_release() releases them, also after a
 * failure. */
enum kymo_status diff_runs_init(struct diff_runs *side, const struct loaded_run *const *runs,
				size_t count, struct problem *problem);
void diff_runs_release(struct diff_runs *side);

/* Fill the moments of all regions on that side, and those of the side itself. */
enum kymo_status diff_values_fill(struct diff *diff, enum diff_side side);

#endif
