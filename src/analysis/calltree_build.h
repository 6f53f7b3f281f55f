/* How a call-path tree is put together: by calltree_nodes.c from the recorded trees, by
 * calltree_replay.c from the trace.  Both add nodes, parents first, and say where each
 * thread was created; calltree.c does the rest. */
#ifndef KYMO_CALLTREE_BUILD_H
#define KYMO_CALLTREE_BUILD_H

#include "analysis/calltree.h"

/* Both fill nodes (all but depth, self_ns and the links to children), thread_root and
 * creators, which holds per thread the node that was open in its creator. */
enum kymo_status calltree_from_nodes(struct calltree *tree, uint32_t *creators);
enum kymo_status calltree_from_trace(struct calltree *tree, uint32_t *creators);

#endif
