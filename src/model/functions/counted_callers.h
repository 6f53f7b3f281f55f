/* How many of a function's calls each of its callers made.
 *
 * The number of calls of a function is exact; the caller is known for timed calls only.  If all
 * calls were timed, the numbers by caller are exact, too; else they are estimates with 95 %
 * confidence intervals, limited to what is certain.  The caller's memory; pure arithmetic, any
 * thread. */
#ifndef KYMO_COUNTED_CALLERS_H
#define KYMO_COUNTED_CALLERS_H

#include "model/functions/counted_calls.h"

/* Edges are sorted by callee.  Computed from the recorded sums of the edges. */
void counted_callers_estimate(struct counted_calls *calls);
/* Every call of the function was timed, and the end of each was recorded. */
bool counted_is_exact(const struct counted_function *function);

#endif
