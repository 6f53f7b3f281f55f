/* Makes estimates of times consistent.
 *
 * The time of all calls of a function is its own and that of its callees: estimated independently,
 * calls may come out longer than their callers, and all together longer than the thread lived.
 * Functions timed in full are exact; the others are adjusted in proportion to their uncertainty.
 * The caller's memory; uses malloc. */
#ifndef KYMO_COUNTED_FLOW_H
#define KYMO_COUNTED_FLOW_H

#include "base/status.h"
#include "model/functions/counted_calls.h"

/* Call it after counted_calls_estimate().  Intervals are limited to what is certain, and contain
 * their values.  Own times of all functions add up to at most calls->most.  KYMO_OK or
 * KYMO_MEMORY. */
enum kymo_status counted_flow_estimate(struct counted_calls *calls);

#endif
