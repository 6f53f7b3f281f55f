/* How a call-path tree is put together: by calltree_nodes.c from the recorded trees, by
 * calltree_replay.c from the trace, by sampled_tree.c from samples.  All add nodes, parents first,
 * and say where each thread was created; calltree.c does the rest. */
#ifndef KYMO_CALLTREE_BUILD_H
#define KYMO_CALLTREE_BUILD_H

#include "analysis/calltree.h"

/* An empty tree; NULL = no memory. */
struct calltree *calltree_alloc(const struct recording *recording);
/* Links, depths, creators and counts from the nodes and their parents. */
void calltree_finish(struct calltree *tree, const uint32_t *creators);

/* Both fill nodes (all but depth, self_ns and the links to children), thread_root and
 * creators, which holds per thread the node that was open in its creator. */
enum kymo_status calltree_from_nodes(struct calltree *tree, uint32_t *creators);
enum kymo_status calltree_from_trace(struct calltree *tree, uint32_t *creators);

#endif
