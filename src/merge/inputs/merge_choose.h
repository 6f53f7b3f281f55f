/* Chooses the recordings to merge: each process once, and calls rather than samples.  Uses malloc.
 * One thread. */
#ifndef KYMO_MERGE_CHOOSE_H
#define KYMO_MERGE_CHOOSE_H

#include "merge/inputs/merge_inputs.h"

/* Leave out duplicates, and samples if there are calls; the lines of inputs report what is left
 * out. */
enum kymo_status merge_inputs_choose(struct merge_inputs *inputs, struct problem *problem);

#endif
