/* How much C stack a thread has left for frame evaluation.
 *
 * From 3.11 on Python calls use no C stack, but under a frame evaluation function they do again.
 * Past three quarters of the stack frame evaluation is suspended, so that a program can recurse as
 * deep as without Kymo. */
#ifndef KYMO_STACKGUARD_H
#define KYMO_STACKGUARD_H

#include "collector.h"

/* Get the bounds from the system; caches them in the thread's state.  True when the stack is lower
 * than it should be at this position. */
bool stackguard_check(struct kymo_thread *thread, uintptr_t position);

static inline bool stackguard_is_low(struct kymo_thread *thread)
{
	uintptr_t position = (uintptr_t)__builtin_frame_address(0);

	return kymo_unlikely(position < thread->stack_low) && stackguard_check(thread, position);
}

#endif
