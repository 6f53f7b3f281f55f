/* Calls by code that is not instrumented, such as callbacks from a library, qsort() or an
 * interpreter.  Such a call belongs to the nearest instrumented function further out. */
#ifndef KYMO_FUNCPATCH_OUTSIDE_H
#define KYMO_FUNCPATCH_OUTSIDE_H

#include <stdint.h>

/* For the calling thread's call whose return address is at slot, with the caller's frame pointer
 * frame: a return address in the nearest instrumented function.  0: it is the caller itself, or
 * there is none.  For callers that may use general registers only. */
#define FUNCPATCH_NO_FRAME UINT64_MAX /* unknown */
uint64_t funcpatch_outside(uint64_t slot, uint64_t frame);

#endif
