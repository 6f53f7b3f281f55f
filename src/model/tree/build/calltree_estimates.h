/* Merged estimates: errors of the tree's values and of its flat tables. */
#ifndef KYMO_CALLTREE_ESTIMATES_H
#define KYMO_CALLTREE_ESTIMATES_H

#include "base/status.h"

struct calltree;

/* Add the errors stored in a merged recording to the tree, whose nodes have their links: intervals
 * of functions and callers, and those of the calls by a path.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_add_stored_estimates(struct calltree *tree);

#endif
