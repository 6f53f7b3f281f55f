/* fork(): the child gets a recording of its own, with the same regions and with the path that was
 * open as its beginning. */
#ifndef KYMO_FORKING_H
#define KYMO_FORKING_H

#include <stdbool.h>

#include "runtime/runtime.h"

struct kymo_chunk;

/* In a forked child that continues to record: keep this chunk of its parent mapped, because a
 * writer that was interrupted by the forking signal handler has yet to return to it.  Context:
 * the thread that forked. */
KYMO_EXPORT void kymo_sample_keep(struct kymo_chunk *chunk);
/* Register for forks, once, also before opening.  Handlers nest: the first registered one runs
 * last before a fork and first after it, and holds a lock while no other handler runs.  0 or an
 * errno value. */
KYMO_EXPORT int kymo_fork_follow(void);
KYMO_EXPORT void kymo_fork_before(void);
KYMO_EXPORT void kymo_fork_parent(void);
KYMO_EXPORT void kymo_fork_child(void);
/* forking.c */
bool forking_resume(void);

#endif
