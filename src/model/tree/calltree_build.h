/* How a call-path tree is put together: by calltree_nodes.c from the recorded trees, by
 * calltree_replay.c from the trace, by calltree_function_events.c from the records of instrumented
 * functions, by sampled_tree.c from samples.  All add nodes, parents first, and say where each
 * thread was created; calltree.c does the rest. */
#ifndef KYMO_CALLTREE_BUILD_H
#define KYMO_CALLTREE_BUILD_H

#include "model/tree/calltree.h"

/* An empty tree; NULL = no memory. */
struct calltree *calltree_alloc(const struct recording *recording);
/* Links, depths, creators and counts from the nodes and their parents. */
void calltree_finish(struct calltree *tree, const uint32_t *creators);
/* When self times are known: without what measuring took, by the recording's calibration. */
enum kymo_status calltree_take_measuring_out(struct calltree *tree);

/* Both fill nodes (all but depth, self_ns and the links to children), thread_root and
 * creators, which holds per thread the node that was open in its creator. */
enum kymo_status calltree_from_nodes(struct calltree *tree, uint32_t *creators);
enum kymo_status calltree_from_trace(struct calltree *tree, uint32_t *creators);
/* Add the calls of instrumented functions that were recorded one by one. */
enum kymo_status calltree_add_function_events(struct calltree *tree);
/* Likewise of those that were counted, with estimates. */
enum kymo_status calltree_add_counts(struct calltree *tree);
/* How many functions those are: fill estimated_functions.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_count_estimated(struct calltree *tree);
/* Put the errors that a merged recording tells into the tree, whose nodes have their links:
 * intervals of functions and callers, and those of the calls by a path.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status calltree_add_told_estimates(struct calltree *tree);
/* Add those that were only counted. */
enum kymo_status calltree_add_throttled(struct calltree *tree);
/* Nodes from first on are functions'; the others may have happened inside of them. */
enum kymo_status calltree_nest_others(struct calltree *tree, uint32_t first, uint32_t *creators);

/* Room for count nodes behind those that are there, with their metrics; NULL = no memory, or
 * more than can be. */
struct calltree_node *calltree_room(struct calltree *tree, size_t count);
/* So much of a thread's time is in no time of a call: nor in whole, which all of it is below, and
 * what that is in. */
void calltree_leave_out(struct calltree *tree, uint32_t whole, double ns);
/* Likewise what marks between a thread's records told, which the tree's sums have then. */
struct foreign_time;
void calltree_leave_foreign_out(struct calltree *tree, uint32_t thread, uint32_t whole,
				const struct foreign_time *foreign);
/* By thread: the node below which all of it takes place, which is the region that is the whole
 * program, or thread, where that is its root's only child; else its root.  Roots are made of
 * threads that have none.  The caller frees; NULL = no memory. */
uint32_t *calltree_wholes(struct calltree *tree);

#endif
