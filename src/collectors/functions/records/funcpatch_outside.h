/* Calls by code that is not instrumented, such as callbacks from a library, qsort() or an
 * interpreter.  Such a call belongs to the nearest instrumented function further out. */
#ifndef KYMO_FUNCPATCH_OUTSIDE_H
#define KYMO_FUNCPATCH_OUTSIDE_H

#include <stdint.h>

/* Of the calling thread's call whose return address lies at slot, where the caller's frame pointer
 * is frame: a return address in the nearest function that is instrumented.  0: it is the caller
 * itself, or there is none.  To be called from where general registers alone may be touched. */
#define FUNCPATCH_NO_FRAME UINT64_MAX /* it is not known */
uint64_t funcpatch_outside(uint64_t slot, uint64_t frame);

#endif
