/* Which system call a thread has just come from.
 *
 * The kernel leaves only the call's result in the registers.  The number is what the code put
 * there: found by following it back from the instruction, through moves, the stack and, where a
 * function got it as an argument, to whoever called that.  So it is with the C libraries' calls
 * that threads can be cancelled in.  What code says is read once and kept. */
#ifndef KYMO_CALLNUMBER_H
#define KYMO_CALLNUMBER_H

#include <stdint.h>

#include "object/unwind/unwind.h"

#define CALLNUMBER_MAX	   1024u /* above all that there are */
#define CALLNUMBER_UNKNOWN UINT32_MAX

/* Of the call that the instruction at has made; context is the third argument of the handler
 * whose signal came right there; stack as for unwind_self().  Needs some 8 KiB of stack.
 * Context: signal. */
uint32_t callnumber_find(const void *context, uint64_t at, const struct unwind_stack *stack);

#endif
