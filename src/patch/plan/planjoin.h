/* The two halves of a plan's code become one.  One thread. */
#ifndef KYMO_PLANJOIN_H
#define KYMO_PLANJOIN_H

#include "patch/plan/planemission.h"

/* All into the first blob; emission->jumps.  False: out of memory. */
bool planjoin(struct plan_emission *emission, struct plan_blob *const blobs[PLAN_HALVES]);

/* All of other behind what is there, but for what its functions use in common.  Returns where its
 * hot code begins. */
size_t planjoin_blobs(struct plan_blob *blob, const struct plan_blob *other);

#endif
