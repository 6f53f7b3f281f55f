/* Functions that call each other recursively: the strongly connected components of the call graph.
 *
 * Within a cycle each call's time contains that of the others, so that adding calls up gives more
 * time than there was.  The caller's memory; pure arithmetic, any thread. */
#ifndef KYMO_COUNTED_CYCLES_H
#define KYMO_COUNTED_CYCLES_H

#include <stdbool.h>

#include "base/status.h"
#include "model/functions/counted_calls.h"

/* By function: the number of its cycle, the same for all functions that call each other, directly
 * or through others; a function in no cycle has a number of its own.  NULL = no memory; the caller
 * frees. */
uint32_t *counted_cycles(const struct counted_calls *calls);

/* Limit outermost calls to the time available: calls from one cycle to another, and totals, with
 * nested calls counted once, of functions in cycles of two and more.  Call it after
 * counted_calls_estimate().  KYMO_OK or KYMO_MEMORY. */
enum kymo_status counted_cycles_estimate(struct counted_calls *calls);

#endif
