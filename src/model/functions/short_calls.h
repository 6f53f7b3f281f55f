/* Calls so short that out-of-order execution overlaps their work with the clock readings around
 * them: the sum with the caller's time is known, the split is not.  Serializing readings
 * (KYMO_FUNCTIONS_SERIALIZE) avoid this. */
#ifndef KYMO_SHORT_CALLS_H
#define KYMO_SHORT_CALLS_H

struct calltree;

#define SHORT_CALL_NS	  100.0 /* docs/overhead.md, "Calls of less than 100 ns" */
#define SHORT_CALLS_LEAST 10000 /* fewer do not matter */

/* Self time in nanoseconds of functions that were called often, for less than that each, with every
 * call timed by readings that do not serialize. */
double short_calls_ns(const struct calltree *tree);

#endif
