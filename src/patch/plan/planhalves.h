/* The trampolines of all functions of a file, made in two halves, one thread each.  The division
 * does not depend on the machine, so that plans are the same everywhere. */
#ifndef KYMO_PLANHALVES_H
#define KYMO_PLANHALVES_H

#include "patch/plan/planemission.h"
#include "patch/plan/planmake_options.h"

/* Divide the functions; emission is all zero.  False: out of memory. */
bool planhalves_begin(struct plan_emission *emission, const struct patch_module *module);
/* Emit the code of each half, after the code its functions share, into its blob, and its jumps.
 * False: out of memory. */
bool planhalves_emit(struct plan_emission *emission, struct plan_blob *const blobs[PLAN_HALVES],
		     struct patch_module *module, const struct planmake_options *options);
void planhalves_release(struct plan_emission *emission);

#endif
