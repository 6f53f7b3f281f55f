/* The code of a plan that records when loops are entered and left.  Context: as planemit.h. */
#ifndef KYMO_PLANLOOPS_H
#define KYMO_PLANLOOPS_H

#include "patch/analyse/patchloops.h"
#include "patch/plan/planemit.h"

/* Trampolines for count edges of one loop, whose index among the plan's functions is index; the
 * jumps to them go to code, which has space for count.  False: not possible, and nothing was
 * added. */
bool planloops_emit(struct plan_blob *blob, struct patch_module *module,
		    const struct patch_edge *edges, uint32_t count, uint32_t index,
		    struct plan_function_code *code);

#endif
