/* Folding of a path that is too deep or one too many.
 *
 * From the anchor (the last node that is recorded as a path) on, every region is a flat child of
 * the anchor, with its exclusive time; without space for even that, only the balance is kept and
 * the time is the anchor's.  While a thread folds, its current node is a placeholder that no
 * region matches, which sends both enter and leave here. */
#ifndef KYMO_FOLD_H
#define KYMO_FOLD_H

#include "runtime/hot.h"

/* node: the flat node, or NULL.  Context: hook. */
void fold_enter(struct kymo_thread *thread, struct kymo_node *node, uint32_t region, uint64_t now);
bool fold_is_active(const struct kymo_thread *thread);
/* True when node is the one that thread has while it folds; thread->folded is where it is then.
 * Reads nothing but thread.  Context: any. */
bool fold_is_stand_in(const struct kymo_thread *thread, const struct kymo_node *node);
/* The parent of the fold's nodes; only while folding. */
struct kymo_node *fold_anchor(const struct kymo_thread *thread);
/* Number of regions that are open below the anchor. */
size_t fold_depth(const struct kymo_thread *thread);
/* Leave region; false if it is not on the fold stack. */
bool fold_leave(struct kymo_thread *thread, uint32_t region, uint64_t now);
void fold_unwind(struct kymo_thread *thread, uint64_t now);
void fold_release(struct kymo_thread *thread);

/* When the innermost folded region was entered; folding is active. */
uint64_t fold_latest(const struct kymo_thread *thread);

#endif
