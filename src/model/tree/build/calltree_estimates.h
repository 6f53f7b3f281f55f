/* Estimates that were merged: errors of what the tree and its flat tables have. */
#ifndef KYMO_CALLTREE_ESTIMATES_H
#define KYMO_CALLTREE_ESTIMATES_H

#include "base/status.h"

struct calltree;

/* Put the errors that a merged recording tells into the tree, whose nodes have their links:
 * intervals of functions and callers, and those of the calls by a path.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_add_stored_estimates(struct calltree *tree);

#endif
