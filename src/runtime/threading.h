/* Threads and fibers of the process, as collectors name them to the runtime. */
#ifndef KYMO_THREADING_H
#define KYMO_THREADING_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/exported.h"

struct kymo_thread;

/* What a creating thread leaves for the thread it creates. */
struct kymo_thread_ticket {
	uint32_t thread; /* KYMO_NO_THREAD = unknown */
	uint32_t node;
};

/* State of the calling thread, made at the first call in a thread and after fork.
 * Never NULL: where nothing can be recorded a blocked state is returned.  Context: thread. */
KYMO_EXPORT struct kymo_thread *kymo_thread_attach(void);

KYMO_EXPORT struct kymo_thread_ticket kymo_thread_ticket(void);

/* As attach, with the parent and the name (either may be unknown: NULL).  Context: thread. */
KYMO_EXPORT struct kymo_thread *kymo_thread_begin(const struct kymo_thread_ticket *ticket,
						  const char *name);

/* Name a thread of this process by its gettid(); ignored when it was never seen. */
KYMO_EXPORT void kymo_thread_name(uint64_t system_id, const char *name);

/* Close the open regions of every thread: collection stops.  What a user opened by name
 * stays open where the thread's state says so (pinned), and with it what is below.  The
 * caller holds whatever keeps the other threads out of the hot path (the GIL).
 * Context: thread. */
KYMO_EXPORT void kymo_threads_unwind(void);
/* The same for the calling thread, when a pinned region of it has ended since. */
KYMO_EXPORT void kymo_thread_unwind(struct kymo_thread *thread);

/* Fibers: several stacks on one thread (greenlets). */

/* State for a further stack of the calling thread, fresh or recycled: its own tree and
 * events, shown as a thread of its own.  NULL when it cannot be had.  Context: thread. */
KYMO_EXPORT struct kymo_thread *kymo_fiber_get(const char *name);
/* Its stack has ended; the fiber may be given to another. */
KYMO_EXPORT void kymo_fiber_put(struct kymo_thread *fiber);
/* False for a state from before a fork. */
KYMO_EXPORT bool kymo_fiber_is_valid(const struct kymo_thread *fiber);
/* The calling thread runs on fiber's stack from here; returns the state it leaves. */
KYMO_EXPORT struct kymo_thread *kymo_fiber_switch(struct kymo_thread *fiber);

#endif
