/* The cost of recording a tree's instrumented functions, by their number of calls and the
 * calibration. Pure arithmetic, any thread. */
#ifndef KYMO_CALLTREE_COST_H
#define KYMO_CALLTREE_COST_H

struct calltree;

/* Nanoseconds of CPU time of all calls; 0 = none, or not known. */
double calltree_functions_cost_ns(const struct calltree *tree);

#endif
