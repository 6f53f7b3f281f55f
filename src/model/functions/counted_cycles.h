/* Functions that call each other in circles: which belong together.
 *
 * What a call of one of them takes is in those of the others once more, so that adding calls up
 * gives more time than there was.  The caller's memory; pure arithmetic, any thread. */
#ifndef KYMO_COUNTED_CYCLES_H
#define KYMO_COUNTED_CYCLES_H

#include <stdbool.h>

#include "base/status.h"
#include "model/functions/counted_calls.h"

/* By function: its circle's number, the same for all that call each other, directly or through
 * others; a function that is in none has a number of its own.  NULL = no memory; the caller
 * frees. */
uint32_t *counted_cycles(const struct counted_calls *calls);

/* What outermost calls take is at most what there is: of calls from one circle to another, and
 * totals, with calls inside of others counted once, of functions in circles of two and more.  To be
 * called behind counted_calls_estimate().  KYMO_OK or KYMO_MEMORY. */
enum kymo_status counted_cycles_estimate(struct counted_calls *calls);

#endif
