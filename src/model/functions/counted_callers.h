/* How many of a function's calls each of its callers made.
 *
 * How often a function was called is exact; who called is known of the calls that were timed. Where
 * those are all, its callers' calls are exact, too; else they are estimates with intervals that
 * hold the truth in 95 of 100 runs, and never leave what is known for sure.  The caller's memory;
 * pure arithmetic, any thread. */
#ifndef KYMO_COUNTED_CALLERS_H
#define KYMO_COUNTED_CALLERS_H

#include "model/functions/counted_calls.h"

/* Edges lie by callee.  From the sums of the edges as they were recorded. */
void counted_callers_estimate(struct counted_calls *calls);
/* Every call of the function was timed, and the end of each was seen. */
bool counted_is_exact(const struct counted_function *function);

#endif
