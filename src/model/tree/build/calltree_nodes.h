/* The call-path tree from the recorded nodes. */
#ifndef KYMO_CALLTREE_NODES_H
#define KYMO_CALLTREE_NODES_H

#include <stdint.h>

#include "base/status.h"

struct calltree;

/* Fill nodes (all but depth, self_ns and the links to children), thread_root and creators, which
 * has per thread the node that was open in its creator.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_from_nodes(struct calltree *tree, uint32_t *creators);

#endif
