/* What recording a tree's instrumented functions took: of what they did, by what was calibrated.
 * Arithmetic alone, any thread. */
#ifndef KYMO_CALLTREE_COST_H
#define KYMO_CALLTREE_COST_H

struct calltree;

/* Nanoseconds of CPU time of all calls; 0 = there are none, or it is not known. */
double calltree_functions_cost_ns(const struct calltree *tree);

#endif
