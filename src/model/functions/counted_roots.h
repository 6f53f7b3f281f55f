/* Functions that were called by what is not instrumented, like an event loop or qsort().
 *
 * What called them was called by an instrumented function in turn, whose own time theirs is once
 * more.  Where all that begins so takes longer than the thread was there, they are taken for what
 * the function called that has that time.  The caller's memory; uses malloc. */
#ifndef KYMO_COUNTED_ROOTS_H
#define KYMO_COUNTED_ROOTS_H

#include "base/status.h"
#include "model/functions/counted_calls.h"

/* Give callers to edges that have none, by what was recorded, before anything is estimated; edges
 * may get another order but by callee, and a pair of functions may have several then.  KYMO_OK or
 * KYMO_MEMORY. */
enum kymo_status counted_roots_nest(struct counted_calls *calls);

#endif
