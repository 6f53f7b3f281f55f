/* Joining the two halves of a plan's code.  One thread. */
#ifndef KYMO_PLANJOIN_H
#define KYMO_PLANJOIN_H

#include "patch/plan/planemission.h"

/* Append all to the first blob; emission->jumps.  False: out of memory. */
bool planjoin(struct plan_emission *emission, struct plan_blob *const blobs[PLAN_HALVES]);

/* Append all of other except its shared code.  Returns where its hot code begins. */
size_t planjoin_blobs(struct plan_blob *blob, const struct plan_blob *other);

#endif
