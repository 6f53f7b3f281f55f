/* Functions called by code that is not instrumented, such as an event loop or qsort().
 *
 * That code was itself called by an instrumented function, whose own time contains theirs.  If all
 * such root calls together take longer than the thread lived, they are attributed to the function
 * with that own time.  The caller's memory; uses malloc. */
#ifndef KYMO_COUNTED_ROOTS_H
#define KYMO_COUNTED_ROOTS_H

#include "base/status.h"
#include "model/functions/counted_calls.h"

/* Assign callers to edges that have none, from what was recorded, before anything is estimated.
 * Edges stay sorted by callee but may change their order otherwise, and a pair of functions may
 * have several afterwards.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status counted_roots_nest(struct counted_calls *calls);

#endif
