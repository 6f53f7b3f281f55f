/* What the interrupted thread was doing in the kernel, by its registers, and calls on other stacks:
 * each folder of a processor answers. */
#ifndef KYMO_SAMPLER_CALL_H
#define KYMO_SAMPLER_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/unwind/unwind.h"

struct sampler_thread;

/* What was interrupted, by its registers: <cpu>/sampler_call_<cpu>.c */
struct sampler_call {
	bool is_call;	     /* it was in the kernel, by a system call */
	bool is_behind;	     /* which has ended */
	bool is_interrupted; /* with EINTR */
	/* The signal has ended it, or nobody knows; else who used little time had no processor. */
	bool may_have_slept;
	/* Or KYMO_FRAME_NO_CALL; of one that has ended not until sampler_call_name(). */
	uint32_t number;
	uint32_t meant;	    /* by the program, when signal hiding has made another one for it */
	uint64_t argument;  /* the first one */
	uint64_t operation; /* the second one: what a futex is called for */
};
void sampler_call_look(const void *ucontext, struct sampler_thread *self, struct sampler_call *out);
/* Which one it was, where that is to be found out; on the scratch buffer's stack. */
void sampler_call_name(const void *ucontext, const struct unwind_stack *stack,
		       struct sampler_call *call);
/* A system call, and nothing else: no wrapper, and errno is kept.  Negative: -errno. */
long sampler_system_call(long number, long first, long second, long third, long fourth);
/* Call function on another stack, that ends at top. */
void sampler_call_on(void (*function)(void *), void *argument, void *top);
/* Where the call would be begun anew, end it with EINTR. */
void sampler_call_end(void *ucontext);

#endif
