/* Threads that never left their wait, in a tree that a merged recording keeps of samples.
 * One thread; uses malloc. */
#ifndef KYMO_SAMPLED_IDLE_H
#define KYMO_SAMPLED_IDLE_H

#include "model/tree/calltree.h"

/* What each of them did becomes one call of SAMPLED_IDLE_THREADS, as sampled_tree_new() makes it
 * where CPU time is what counts, with its metrics; the links of nodes are made anew, their times by
 * the weight in use are the caller's.  Without memory for it the tree stays as it is. */
void sampled_idle_fold(struct calltree *tree);

#endif
