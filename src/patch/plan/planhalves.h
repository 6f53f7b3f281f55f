/* The trampolines of all functions of a file, made in two halves by a thread each.  Which functions
 * are in which half does not depend on the machine, so that plans are the same everywhere. */
#ifndef KYMO_PLANHALVES_H
#define KYMO_PLANHALVES_H

#include "patch/plan/planemit.h"
#include "patch/plan/planmake.h"

struct plan_emitted { /* of a function */
	uint32_t first_jump, jump_count;
	uint32_t body;	/* in the hot stretch: what its entry displaced, and on */
	uint8_t way;	/* enum plan_way: what was made, in the end */
	uint8_t reason; /* enum plan_reason: why not what was to be made */
};

struct plan_emission {
	struct plan_emitted *functions; /* as the module's */
	struct plan_jump *jumps;
};

static inline bool planhalves_has_code(enum plan_way way)
{
	return way != PLAN_WAY_NONE && way != PLAN_WAY_HOOK;
}

/* All code into blob, which is empty.  False: out of memory.  Memory belongs to out until
 * planhalves_release(), also then. */
bool planhalves_emit(struct plan_blob *blob, struct patch_module *module,
		     const struct planmake_options *options, struct plan_emission *out);
void planhalves_release(struct plan_emission *emission);

#endif
