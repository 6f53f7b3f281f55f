/* What an indirect jump is: a switch or a computed goto within its function, or a tail call.  Any
 * thread of a decision; allocates nothing. */
#ifndef KYMO_PATCHINDIRECT_H
#define KYMO_PATCHINDIRECT_H

#include "patch/analyse/patchdecision.h"

struct patch_event;

enum patch_jump_target {
	PATCH_TARGET_INSIDE,  /* to places in the function that are all known */
	PATCH_TARGET_OUTSIDE, /* to another function */
	PATCH_TARGET_UNKNOWN,
};
/* Classify the jump of event, in the function of that index. */
enum patch_jump_target patchindirect_target(const struct patch_decision *decision,
					    uint32_t function, const struct patch_event *event);

#endif
