/* Targets of the lock wrappers: selected when the runtime opens; the real functions until then
 * and if nothing is recorded.  Read with relaxed atomics.  Context: any. */
#ifndef KYMO_LOCKS_USED_H
#define KYMO_LOCKS_USED_H

#include "collectors/locks/locks.h"

extern struct lock_calls locks_used;
extern struct lock_calls locks_used_free; /* for locks that are free: see locks_free.h */

#endif
