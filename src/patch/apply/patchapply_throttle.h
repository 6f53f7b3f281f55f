/* Redirecting the callers of functions to their counting copies, while they run.
 * Context: any thread; no function of the C library is called. */
#ifndef KYMO_PATCHAPPLY_THROTTLE_H
#define KYMO_PATCHAPPLY_THROTTLE_H

#include "patch/apply/patchapplied.h"

struct patch_throttle {
	const struct plan_copy *copy; /* of the module's plan */
	int32_t counter;	      /* distance of its word from the thread pointer */
};

/* The module stays loaded, and nothing else changes its text in the meantime.  One byte is changed
 * at each place: threads that run there make the old call or the new one.  0 or an errno value: not
 * all of them are redirected. */
int patchapply_throttle(struct patch_applied *applied, const struct patch_throttle *throttled,
			unsigned count);

#endif
