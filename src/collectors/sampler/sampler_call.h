/* What the interrupted thread was doing in the kernel, from its registers, and calls on other
 * stacks: implemented in the folder of each processor. */
#ifndef KYMO_SAMPLER_CALL_H
#define KYMO_SAMPLER_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/unwind/unwind.h"

struct sampler_thread;

/* The interrupted state, from its registers: <cpu>/sampler_call.c */
struct sampler_call {
	bool is_call;	     /* it was in a system call */
	bool is_behind;	     /* which has ended */
	bool is_interrupted; /* with EINTR */
	/* The signal has ended the call, or that is unknown; otherwise a thread with little CPU
	 * time had no processor. */
	bool may_have_slept;
	/* Or KYMO_FRAME_NO_CALL; for one that has ended only after sampler_call_name(). */
	uint32_t number;
	uint32_t meant;	    /* the call that the program made, if signal hiding has replaced it */
	uint64_t argument;  /* the first one */
	uint64_t operation; /* the second one: the operation of a futex call */
};
void sampler_call_decode(const void *ucontext, struct sampler_thread *self,
			 struct sampler_call *out);
/* Determine which one it was, if needed; on the scratch buffer's stack. */
void sampler_call_name(const void *ucontext, const struct unwind_stack *stack,
		       struct sampler_call *call);
/* A direct system call: no wrapper, and errno is kept.  Negative: -errno. */
long sampler_system_call(long number, long first, long second, long third, long fourth);
/* Call function on another stack, which ends at top. */
void sampler_call_on(void (*function)(void *), void *argument, void *top);
/* If the kernel would restart the call, end it with EINTR. */
void sampler_call_end(void *ucontext);

#endif
