/* The frame of a system call: which one, and on which object.  Context: signal. */
#ifndef KYMO_SAMPLER_KERNEL_H
#define KYMO_SAMPLER_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sampler_thread;
struct sampler_call;

/* Whether [pc - before, pc + after) is readable, around the interrupted instruction of self. */
bool sampler_can_read_code(struct sampler_thread *self, uint64_t pc, size_t before, size_t after);

/* The call waits for a futex. */
bool sampler_call_is_wait(const struct sampler_call *call);
/* The frame of a system call.  is_waiting: the thread used no CPU time. */
uint64_t sampler_kernel_frame(struct sampler_thread *self, const struct sampler_call *call,
			      bool is_waiting);

#endif
