/* The call-path tree of a thread: finding and making nodes, folding, unwinding.  Used by the
 * owning thread only, or while it is locked out of the hot path. */
#ifndef KYMO_CALLPATH_H
#define KYMO_CALLPATH_H

#include "runtime/hot.h"

/* Limits for all threads: depth below the root, and nodes in the process. */
void callpath_limit(uint32_t depth_max, uint64_t paths_max);

/* Root node and path table of a new thread; false if there is no space.  The lock is held. */
bool callpath_init(struct kymo_thread *thread, uint64_t now);
void callpath_release(struct kymo_thread *thread);

/* A visit of node ends, which is timed but with KYMO_MODE_POSITIONS.  Context: hook. */
void callpath_node_close(struct kymo_node *node, uint64_t now);

/* Close every open node inside of that of region keep; 0 = all but the root. */
void callpath_unwind(struct kymo_thread *thread, uint32_t keep, uint64_t now);

/* Add a child of the current node that was open before this recording began, and make it the
 * current one.  False if there is no space. */
bool callpath_inherit(struct kymo_thread *thread, uint32_t region, uint64_t now);

/* The child of the current node for region; NULL if there is none yet.  Context: hook. */
struct kymo_node *callpath_known(const struct kymo_thread *thread, uint32_t region);

/* When the innermost open region was entered. */
uint64_t callpath_latest(const struct kymo_thread *thread);

/* The innermost open node that is in the recording. */
struct kymo_node *callpath_position(const struct kymo_thread *thread);
uint32_t callpath_reference(const struct kymo_thread *thread, const struct kymo_node *node);

#endif
