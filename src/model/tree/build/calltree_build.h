/* What all share who put a call-path tree together: from the recorded trees, from the trace,
 * from the records of instrumented functions, from samples.  All add nodes, parents first, and
 * say where each thread was created. */
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

/* Room for count nodes behind those that are there, with their metrics; NULL = no memory, or
 * more than can be. */
struct calltree_node *calltree_reserve(struct calltree *tree, size_t count);
/* So much of a thread's time is in no time of a call: nor in whole, which all of it is below, and
 * what that is in. */
void calltree_leave_out(struct calltree *tree, uint32_t whole, double ns);
/* Likewise what marks between a thread's records told, which the tree's sums have then. */
void calltree_leave_foreign_out(struct calltree *tree, uint32_t thread, uint32_t whole,
				const struct foreign_time *foreign);
/* By thread: the node below which all of it takes place, which is the region that is the whole
 * program, or thread, where that is its root's only child; else its root.  Roots are made of
 * threads that have none.  The caller frees; NULL = no memory. */
uint32_t *calltree_wholes(struct calltree *tree);

#endif
