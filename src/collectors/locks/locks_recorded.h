/* Functions that record calls of locks: those that have to wait, or all of them.  NULL if the
 * real function is sufficient.  Context: any. */
#ifndef KYMO_LOCKS_RECORDED_H
#define KYMO_LOCKS_RECORDED_H

#include "collectors/locks/locks.h"

extern const struct lock_calls locks_contended;
extern const struct lock_calls locks_all;
extern const struct lock_calls locks_all_free; /* for locks that are free: see locks_free.h */

#endif
