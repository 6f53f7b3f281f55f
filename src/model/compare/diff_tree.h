/* The call paths of both sides as one tree. */
#ifndef KYMO_DIFF_TREE_H
#define KYMO_DIFF_TREE_H

#include "model/compare/diff.h"

/* Fill nodes and node_count of a diff whose sides have their rows and the numbers of their regions.
 */
enum kymo_status diff_tree_build(struct diff *diff);

#endif
