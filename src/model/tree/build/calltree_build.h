/* Common code for building a call-path tree: from recorded trees, from the trace, from the records
 * of instrumented functions, from samples.  All add nodes, parents first, and record where each
 * thread was created. */
#ifndef KYMO_CALLTREE_BUILD_H
#define KYMO_CALLTREE_BUILD_H

#include "model/tree/calltree_types.h"

struct foreign_time;

/* CALLTREE_NONE for each of count; the caller frees.  NULL = no memory. */
uint32_t *calltree_indexes(uint32_t count);
/* An empty tree; NULL = no memory. */
struct calltree *calltree_alloc(const struct recording *recording);
/* Links, depths, creators and counts from the nodes and their parents. */
void calltree_finish(struct calltree *tree, const uint32_t *creators);

/* Reserve count nodes after the existing ones, with their metrics; NULL = no memory, or too
 * many. */
struct calltree_node *calltree_reserve(struct calltree *tree, size_t count);
/* Exclude ns of a thread's time from the times of calls: from whole, which contains all of it, and
 * its ancestors. */
void calltree_leave_out(struct calltree *tree, uint32_t whole, double ns);
/* Likewise for the marks between a thread's records, added to the tree's sums. */
void calltree_leave_foreign_out(struct calltree *tree, uint32_t thread, uint32_t whole,
				const struct foreign_time *foreign);
/* By thread: the node that contains all of it: the region of the whole program or thread, if that
 * is its root's only child; else its root.  Adds roots of threads that have none.  The caller
 * frees; NULL = no memory. */
uint32_t *calltree_wholes(struct calltree *tree);

#endif
