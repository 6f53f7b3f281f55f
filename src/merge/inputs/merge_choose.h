/* Which of the recordings that were found are merged: each process once, and calls rather than
 * samples.  Uses malloc.  One thread. */
#ifndef KYMO_MERGE_CHOOSE_H
#define KYMO_MERGE_CHOOSE_H

#include "merge/inputs/merge_inputs.h"

/* Leave out what would be merged twice, and samples where there are calls; what is left out is in
 * the lines of inputs. */
enum kymo_status merge_inputs_choose(struct merge_inputs *inputs, struct problem *problem);

#endif
