/* Nests the nodes of other collectors into functions: when they happened was not recorded. */
#ifndef KYMO_CALLTREE_NEST_H
#define KYMO_CALLTREE_NEST_H

#include <stdint.h>

#include "base/status.h"

struct calltree;

/* Nodes from first on are functions'; the others may have happened inside of them.  creators as of
 * calltree_nodes.h.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_nest_others(struct calltree *tree, uint32_t first, uint32_t *creators);

#endif
