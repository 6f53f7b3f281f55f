/* Callers that are not instrumented: a library that calls back, the C library that sorts, the
 * interpreter.  The nearest function that is, further out, is the one that a call belongs to. */
#ifndef KYMO_FUNCPATCH_OUTSIDE_H
#define KYMO_FUNCPATCH_OUTSIDE_H

#include <stdint.h>

/* Of the calling thread's call whose return address lies at slot, where the caller's frame pointer
 * is frame: a return address in the nearest function that is instrumented.  0: it is the caller
 * itself, or there is none.  To be called from where general registers alone may be touched. */
#define FUNCPATCH_NO_FRAME UINT64_MAX /* it is not known */
uint64_t funcpatch_outside(uint64_t slot, uint64_t frame);

#endif
