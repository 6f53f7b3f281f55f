/* For a collector with a helper thread of its own, which is not the program's, is not recorded, and
 * writes series.
 *
 * The collector creates the thread with the C library's own pthread_create() and all signals
 * blocked.  The runtime notifies it when writing has to stop, and when a fork lost its thread.
 * errno is not kept unless said otherwise. */
#ifndef KYMO_HELPER_H
#define KYMO_HELPER_H

#include "runtime/runtime.h"

struct kymo_helper {
	/* The recording is about to be closed, the process to be replaced, restricted or left
	 * by the last of its threads: returns when the helper's thread writes no more.  May be
	 * called on the helper's own thread.  Context: thread. */
	void (*stop)(void);
	/* That did not happen after all, or this is a forked child whose recording was made
	 * just now: the thread, which a child does not have, may begin.  Context: thread. */
	void (*begin)(bool is_forked);
};

/* At most a few; kept, not copied.  Context: init. */
KYMO_EXPORT bool kymo_helper_register(const struct kymo_helper *helper);

/* On the new thread, first: wrappers pass by there, and its descriptors are a table of their
 * own, empty but for the recording: they have no numbers that the program could see or close,
 * and are not inherited.  False: they are the program's; keep none open. */
KYMO_EXPORT bool kymo_helper_enter(void);
/* True on such a thread. */
KYMO_EXPORT bool kymo_helper_is_this(void);

/* The recording's clock, which is the runtime's to choose. */
KYMO_EXPORT uint64_t kymo_helper_now(void);
/* True when recording is switched on now; passes the edges of time windows.  The rest is for
 * the helper's thread, too. */
KYMO_EXPORT bool kymo_helper_admits(void);
/* How long it is sure that a time window keeps recording off from now on, ns; 0 = none does,
 * UINT64_MAX = none will ever open again.  Without a lock. */
KYMO_EXPORT uint64_t kymo_helper_shut_ns(void);
/* True in the process that the run began with, also after exec. */
KYMO_EXPORT bool kymo_helper_is_first(void);

struct kymo_helper_thread {
	uint32_t number;
	uint64_t system_id;
};
/* Threads that are recorded now and have a system thread of their own: at most max, from the
 * first-th on.  The number that was written. */
KYMO_EXPORT size_t kymo_helper_threads(struct kymo_helper_thread *out, size_t max, size_t first);

struct kymo_points { /* one writer; all zero at first, and in a forked child again */
	struct kymo_chunk *chunk;
};
/* A point as of ticks, without a lock but for a new chunk.  False: the recording is full, or
 * has ended. */
KYMO_EXPORT bool kymo_points_append(struct kymo_points *points, uint32_t series, uint64_t ticks,
				    double value);

#endif
