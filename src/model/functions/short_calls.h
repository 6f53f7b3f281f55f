/* Calls so short that the processor does some of their work while the clock is read before or
 * behind them: how long one took is known only as a whole, whose border to the caller's time it is
 * not.  Readings that wait for the work (KYMO_FUNCTIONS_SERIALIZE) know more. */
#ifndef KYMO_SHORT_CALLS_H
#define KYMO_SHORT_CALLS_H

struct calltree;

#define SHORT_CALL_NS	  100.0 /* docs/overhead.md, "Calls of less than 100 ns" */
#define SHORT_CALLS_LEAST 10000 /* fewer are no matter */

/* Nanoseconds in functions, without those they call, that were called often for less than that
 * each and have been timed at every call, between readings that do not wait. */
double short_calls_ns(const struct calltree *tree);

#endif
