/* Threads that never left their wait, in a tree that a merged recording keeps of samples.
 * One thread; uses malloc. */
#ifndef KYMO_SAMPLED_IDLE_H
#define KYMO_SAMPLED_IDLE_H

#include "model/tree/calltree.h"

/* Replace what each of them did by one call of SAMPLED_IDLE_THREADS with its metrics, as
 * sampled_tree_new() does if CPU time counts.  Links of nodes are rebuilt; the caller must set
 * times by the weight in use.  Without memory the tree stays as it is. */
void sampled_idle_fold(struct calltree *tree);

#endif
