/* For a collector with a helper thread of its own, which is not the program's, is not recorded, and
 * writes series.
 *
 * The collector creates the thread with the C library's own pthread_create() and all signals
 * blocked.  The runtime notifies it when writing has to stop, and when a fork lost its thread.
 * errno is not kept unless stated otherwise. */
#ifndef KYMO_HELPER_H
#define KYMO_HELPER_H

#include "runtime/runtime.h"

struct kymo_helper {
	/* The recording is about to be closed, the process to exec, to be restricted or to lose
	 * its last other thread: returns when the helper's thread has stopped writing.  May be
	 * called on the helper's own thread.  Context: thread. */
	void (*stop)(void);
	/* That did not happen, or this is a forked child whose recording was just made: the
	 * thread, which a child does not have, may be started.  Context: thread. */
	void (*begin)(bool is_forked);
};

/* At most a few; kept, not copied.  Context: init. */
KYMO_EXPORT bool kymo_helper_register(const struct kymo_helper *helper);

/* First call on the new thread: disables wrappers there, and gives it a separate descriptor
 * table, empty except for the recording: the program can neither see nor close its descriptors,
 * and none are inherited.  False: the table is the program's; keep no descriptor open. */
KYMO_EXPORT bool kymo_helper_enter(void);
/* True on such a thread. */
KYMO_EXPORT bool kymo_helper_is_this(void);

/* The recording's clock, as selected by the runtime. */
KYMO_EXPORT uint64_t kymo_helper_now(void);
/* True if recording is on now; applies due edges of time windows.  This and what follows is also
 * for the helper's thread. */
KYMO_EXPORT bool kymo_helper_admits(void);
/* Minimum time from now on, ns, for which a time window keeps recording off; 0 = none does,
 * UINT64_MAX = for ever.  Takes no lock. */
KYMO_EXPORT uint64_t kymo_helper_shut_ns(void);
/* True in the process that the run began with, also after exec. */
KYMO_EXPORT bool kymo_helper_is_first(void);

struct kymo_helper_thread {
	uint32_t number;
	uint64_t system_id;
};
/* Threads that are recorded now and have a system thread of their own: at most max, from index
 * first on.  Returns the number written. */
KYMO_EXPORT size_t kymo_helper_threads(struct kymo_helper_thread *out, size_t max, size_t first);

struct kymo_points { /* one writer; all zero initially, and again in a forked child */
	struct kymo_chunk *chunk;
};
/* Append a point as of ticks; takes a lock only for a new chunk.  False: the recording is full,
 * or has ended. */
KYMO_EXPORT bool kymo_points_append(struct kymo_points *points, uint32_t series, uint64_t ticks,
				    double value);

#endif
