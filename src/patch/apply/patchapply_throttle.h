/* Redirecting the callers of functions to their counting copies, while they run.
 * Context: any thread; no function of the C library is called. */
#ifndef KYMO_PATCHAPPLY_THROTTLE_H
#define KYMO_PATCHAPPLY_THROTTLE_H

#include "patch/apply/patchapplied.h"

struct patch_throttle {
	const struct plan_copy *copy; /* of the module's plan */
	int32_t counter;	      /* distance of its word from the thread pointer */
};

/* The module stays, and its text is changed by nobody else meanwhile.  Of each place one byte is
 * changed: who runs there makes the call it was, or the other one.  0 or an errno value: not all
 * of them are led. */
int patchapply_throttle(struct patch_applied *applied, const struct patch_throttle *throttled,
			unsigned count);

#endif
