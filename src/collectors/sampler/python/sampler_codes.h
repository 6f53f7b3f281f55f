/* Python code objects as ids: each is read and recorded when it is first seen. */
#ifndef KYMO_SAMPLER_CODES_H
#define KYMO_SAMPLER_CODES_H

#include <stdbool.h>
#include <stdint.h>

struct pyframe;
struct pyruntime;

/* The frame's word; false: its code could not be recorded.  Context: signal. */
bool sampler_code_frame(const struct pyruntime *runtime, const struct pyframe *frame,
			uint64_t *frame_out);
/* Drop all: the child has a recording of its own. */
void sampler_codes_forked(void);

#endif
