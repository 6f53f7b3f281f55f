/* Threads and fibers of the process, as collectors identify them to the runtime. */
#ifndef KYMO_THREADING_H
#define KYMO_THREADING_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/exported.h"

struct kymo_thread;

/* Passed from a creating thread to the thread it creates. */
struct kymo_thread_ticket {
	uint32_t thread; /* KYMO_NO_THREAD = unknown */
	uint32_t node;
};

/* State of the calling thread, made at the first call in a thread and after fork.  Never NULL: if
 * nothing can be recorded, a blocked state is returned.  Context: thread. */
KYMO_EXPORT struct kymo_thread *kymo_thread_attach(void);

KYMO_EXPORT struct kymo_thread_ticket kymo_thread_ticket(void);

/* As attach, with the parent and the name (either may be unknown: NULL).  Context: thread. */
KYMO_EXPORT struct kymo_thread *kymo_thread_begin(const struct kymo_thread_ticket *ticket,
						  const char *name);

/* Name a thread of this process by its gettid(); ignored if it was never seen. */
KYMO_EXPORT void kymo_thread_name(uint64_t system_id, const char *name);

/* Close the open regions of every thread: collection stops.  What a user opened by name stays
 * open if the thread's state has it as pinned, and what is below it, too.  The caller holds the
 * lock (the GIL) that keeps the other threads out of the hot path.  Context: thread. */
KYMO_EXPORT void kymo_threads_unwind(void);
/* The same for the calling thread, if a pinned region of it has ended since. */
KYMO_EXPORT void kymo_thread_unwind(struct kymo_thread *thread);

/* Fibers: several stacks on one thread (greenlets). */

/* State for a further stack of the calling thread, new or recycled: its own tree and events,
 * shown as a separate thread.  NULL if there is no space.  Context: thread. */
KYMO_EXPORT struct kymo_thread *kymo_fiber_get(const char *name);
/* Its stack has ended; the fiber may be reused. */
KYMO_EXPORT void kymo_fiber_put(struct kymo_thread *fiber);
/* False for a state from before a fork. */
KYMO_EXPORT bool kymo_fiber_is_valid(const struct kymo_thread *fiber);
/* The calling thread runs on fiber's stack from here; returns the state it leaves. */
KYMO_EXPORT struct kymo_thread *kymo_fiber_switch(struct kymo_thread *fiber);

#endif
