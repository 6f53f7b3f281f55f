/* Calls of a function, recorded as trampolines do it, to be timed.  Implemented in the folder of
 * each processor.  Context: thread. */
#ifndef KYMO_FUNCPATCH_RECORDED_H
#define KYMO_FUNCPATCH_RECORDED_H

#include <stdbool.h>
#include <stdint.h>

#include "patch/apply/patchabi.h"

/* One call of a function, recorded as trampolines do it, to be timed.  False: not implemented
 * for this processor. */
struct funcpatch_recorded {
	struct patch_thread_state hot;	  /* READY, with space */
	uint8_t is_off;			  /* it is not recorded */
	struct patch_thread_state *words; /* hot */
	uint64_t first_id_head;
	uint64_t *clock;       /* shows hot.last */
	uint64_t inside_ticks; /* out: of all calls, except with the coarse clock */
	uint64_t work, value;  /* multiplications that the function does, and its operand */
};
bool funcpatch_recorded_call(struct funcpatch_recorded *recorded);

#endif
