/* The calling thread's stack depth, in few bits, to distinguish an interrupting signal handler from
 * a later call: the handler's frames are far below.  Stacks grow down. Context: any. */
#ifndef KYMO_STACKMARK_H
#define KYMO_STACKMARK_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/processor.h"

/* Never 0. */
static inline __attribute__((always_inline)) uint32_t stack_mark(void)
{
	return (uint32_t)processor_stack() | 1u;
}

/* True if mark is of a signal handler and earlier of the code it interrupted; false if the frame
 * of earlier is gone, by a handler's long jump.  errno is kept. */
bool stack_mark_is_alive(uint32_t earlier, uint32_t mark);

/* The calling thread runs a signal handler on a stack unknown to the kernel; or no longer. */
void stack_mark_elsewhere(bool is_elsewhere);
bool stack_is_elsewhere(void);

#endif
