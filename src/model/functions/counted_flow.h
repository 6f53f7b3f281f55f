/* Estimates of times that fit together.
 *
 * The time of all calls of a function is its own and that of what it called: estimated one by one,
 * calls may come out longer than their callers took, and all together longer than the thread was
 * there.  What was timed in full is exact; the others give way, each as far as it is unsure.  The
 * caller's memory; uses malloc. */
#ifndef KYMO_COUNTED_FLOW_H
#define KYMO_COUNTED_FLOW_H

#include "base/status.h"
#include "model/functions/counted_calls.h"

/* To be called behind counted_calls_estimate().  Intervals end where what is known for sure does,
 * and hold their values.  Own times of all functions add up to no more than calls->most.  KYMO_OK
 * or KYMO_MEMORY. */
enum kymo_status counted_flow_estimate(struct counted_calls *calls);

#endif
