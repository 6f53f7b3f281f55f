/* Calls of a function, recorded as trampolines do it, to be timed.  Each folder of a processor
 * answers.  Context: thread. */
#ifndef KYMO_FUNCPATCH_RECORDED_H
#define KYMO_FUNCPATCH_RECORDED_H

#include <stdbool.h>
#include <stdint.h>

#include "patch/apply/patchabi.h"

/* One call of a function, recorded as trampolines do it, to be timed.  False: there is no such
 * thing for this processor. */
struct funcpatch_recorded {
	struct patch_thread_state hot;	  /* READY, with room */
	uint8_t is_off;			  /* it is not recorded */
	struct patch_thread_state *words; /* hot */
	uint64_t first_id_head;
	uint64_t *clock;       /* shows hot.last */
	uint64_t inside_ticks; /* out: of all calls, but with the coarse clock */
	uint64_t work, value;  /* multiplications that the function does, and with what */
};
bool funcpatch_recorded_call(struct funcpatch_recorded *recorded);

#endif
