/* Which system call a thread has just returned from.
 *
 * Only the call's result remains in the registers.  The number is determined from the code: traced
 * backwards from the instruction, through moves, the stack and, where a function received it as an
 * argument, to its caller.  The C libraries' cancellation points need that.  Results are cached by
 * address. */
#ifndef KYMO_CALLNUMBER_H
#define KYMO_CALLNUMBER_H

#include <stdint.h>

#include "object/unwind/unwind.h"

#define CALLNUMBER_MAX	   1024u /* greater than any call's number */
#define CALLNUMBER_UNKNOWN UINT32_MAX

/* Of the call that the instruction at has made; context is the third argument of the handler of a
 * signal that arrived right there; stack as for unwind_self().  Needs some 8 KiB of stack.
 * Context: signal. */
uint32_t callnumber_find(const void *context, uint64_t at, const struct unwind_stack *stack);

#endif
