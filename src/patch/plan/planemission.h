/* What was emitted for the functions of a file: the offset of each one's code, and the jumps to it.
 * Memory belongs to the emission until planhalves_release(). */
#ifndef KYMO_PLANEMISSION_H
#define KYMO_PLANEMISSION_H

#include "patch/plan/planemit.h"

#define PLAN_HALVES 2u

struct plan_emitted { /* of a function */
	uint32_t first_jump, jump_count;
	uint32_t body;	   /* in the hot stretch: the displaced instructions, followed by the
			    * rest */
	uint8_t way;	   /* enum plan_way: the one that was possible in the end */
	uint8_t reason;	   /* enum plan_reason: why the intended way was not */
	uint8_t nop_bytes; /* replaces a call of mcount; 0 = there is none */
	uint8_t nop[PLAN_PATCH_MAX];
};

struct plan_half { /* functions [first, end), whose jumps are relative to it */
	uint32_t first, end;
	struct plan_jump *jumps;
	size_t jump_count, jump_capacity;
};

struct plan_emission {
	struct plan_emitted *functions; /* as in the module */
	struct plan_half halves[PLAN_HALVES];
	struct plan_jump *jumps; /* planjoin(): those of both */
};

static inline bool planemission_has_code(enum plan_way way)
{
	return way != PLAN_WAY_NONE && way != PLAN_WAY_HOOK;
}

#endif
