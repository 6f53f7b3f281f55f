/* Call paths with their own time, for formats based on stacks.
 *
 * Time that a stack cannot show belongs to the nearest caller that it can: of regions that are not
 * selected, and of frames deeper than TREE_PATH_MAX, since writing every frame of every path takes
 * quadratic time in the depth.  Read-only after tree_paths_init(); the tree must outlive it. */
#ifndef KYMO_TREE_PATHS_H
#define KYMO_TREE_PATHS_H

#include "model/tree/calltree.h"

#define TREE_PATH_MAX 1000u

struct tree_paths {
	const struct calltree *tree;
	double *self_ns;  /* per node; 0 for the threads' roots and hidden nodes */
	uint32_t *shown;  /* per node: itself or the nearest shown caller, NONE if there is none */
	uint32_t *caller; /* per shown node: the next shown one towards the root, or NONE */
};

/* regions: per region whether it is shown, NULL = all. */
void tree_paths_init(struct tree_paths *paths, const struct calltree *tree, const bool *regions);
void tree_paths_release(struct tree_paths *paths);

/* The regions of the path to node, root first, into regions[TREE_PATH_MAX]; returns their
 * number. */
uint32_t tree_path(const struct tree_paths *paths, uint32_t node, uint32_t *regions);

/* Whole units of weight for the next path's time, so that the sum of all weights is the sum of all
 * times: *carry, 0 at the start, has the rounding remainder. */
uint64_t tree_weight(double self_ns, double unit_ns, double *carry);

#endif
