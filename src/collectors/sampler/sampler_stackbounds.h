/* Determines which memory is a thread's stack, and can be read directly. */
#ifndef KYMO_SAMPLER_STACKBOUNDS_H
#define KYMO_SAMPLER_STACKBOUNDS_H

#include <stdint.h>

#include "object/unwind/unwind.h"

struct sampler_thread;

/* Context: thread. */
void sampler_bounds_begin(struct sampler_thread *self);
/* The directly readable part of the stack that contains sp.  Context: signal. */
struct unwind_stack sampler_bounds_of(struct sampler_thread *self, uint64_t sp);

#endif
