/* Copies of functions that only count their calls, for a plan of variant THROTTLED, and the
 * places that call them.  One thread; memory belongs to it until planthrottle_release(). */
#ifndef KYMO_PLANTHROTTLE_H
#define KYMO_PLANTHROTTLE_H

#include "patch/analyse/file/patchmodule.h"
#include "patch/plan/planblob.h"

struct plan_throttle {
	struct plan_copy *copies; /* by function */
	size_t copy_count, copy_capacity;
	struct plan_call *calls; /* by copy, then address */
	size_t call_count;
	bool is_failed; /* out of memory */
};

/* The copy of one function, after all trampolines, in the order of functions.  body: offset in the
 * hot stretch of its displaced instructions.  Nothing if there can be none. */
void planthrottle_copy(struct plan_throttle *throttle, struct plan_blob *blob,
		       const struct patch_module *module, uint32_t function, uint32_t body);

/* All calls of them that may be changed; text_start: their places are relative to it.  claimed: a
 * bit for each byte from there on that is written. */
void planthrottle_calls(struct plan_throttle *throttle, const struct patch_module *module,
			uint64_t text_start, const uint8_t *claimed);

void planthrottle_release(struct plan_throttle *throttle);

#endif
