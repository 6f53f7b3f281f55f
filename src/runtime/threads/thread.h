/* States of threads: made at a thread's first event, recycled after its end.
 * The list of states is guarded by the store's lock. */
#ifndef KYMO_THREAD_H
#define KYMO_THREAD_H

#include "runtime/hot.h"

/* All states that record now, newest first. */
extern struct kymo_thread *thread_list;

/* Called once a process, before the first state.  Context: init. */
void threads_init(void);

/* A new state with its record and tree; NULL when the recording is full or memory is
 * short.  The lock is held. */
struct kymo_thread *thread_new(const struct kymo_thread_ticket *ticket, const char *name,
			       uint32_t flags);
/* Close what is open, mark the end, recycle.  The lock is held. */
void thread_finish(struct kymo_thread *thread);
/* How long it waited for a processor goes into its record, if that was asked for. */
void thread_tell_waits(struct kymo_thread *thread);
/* Close every open region of one thread, which collects no more.  The lock is held. */
void thread_unwind(struct kymo_thread *thread, uint64_t now);
/* The same where it goes on, as of ticks, but not before its latest event, which it may have made
 * since: what its filter hides now stays hidden. */
void thread_close(struct kymo_thread *thread, uint64_t ticks);
/* In a forked child: take all states out of use.  They can be read until they are
 * discarded: who still holds one then finds it without a record. */
struct kymo_thread *threads_detach(void);
void threads_discard(struct kymo_thread *states);
/* All states go out of use while their threads live: each gets a new one when it is met. */
void threads_retire(void);
/* Enter thread's outermost region again as of ticks, when there is one.  may_lock: the lock is
 * not held, and may be taken. */
void thread_reopen(struct kymo_thread *thread, uint64_t ticks, bool may_lock);
/* Make thread the calling thread's state. */
void thread_make_current(struct kymo_thread *thread);

/* What is returned where nothing can be recorded. */
struct kymo_thread *thread_blocked(void);

#endif
