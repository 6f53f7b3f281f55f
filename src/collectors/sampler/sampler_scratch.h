/* Scratch buffers for one stack each while it is sampled: as many as handlers may run at once.
 * A buffer that one thread has used is in the caches for the next. */
#ifndef KYMO_SAMPLER_SCRATCH_H
#define KYMO_SAMPLER_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/sampler/sampler_state.h"
#include "object/unwind/unwind.h"
#include "pystack/merge/pymerge.h"

struct sampler_scratch {
	uint64_t path[SAMPLER_PATH_MAX]; /* filled from its end */
	struct unwind_frame native[SAMPLER_NATIVE_MAX];
	struct pyframe python[SAMPLER_PYTHON_MAX];
	struct pymerge_frame merged[SAMPLER_NATIVE_MAX + SAMPLER_PYTHON_MAX];
	/* The handler's stack: signals may be delivered on alternate stacks of a few KiB. */
	_Alignas(64) char stack[SAMPLER_STACK_BYTES];
};

/* Context: init. */
bool sampler_scratch_init(void);
void sampler_scratch_forked(void);
/* NULL: all are in use.  Context: signal. */
struct sampler_scratch *sampler_scratch_get(void);
void sampler_scratch_put(struct sampler_scratch *scratch);

#endif
