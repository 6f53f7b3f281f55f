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
/* Write how long it waited for a processor into its record, if requested. */
void thread_record_waits(struct kymo_thread *thread);
/* Close every open region of one thread, which stops collecting.  The lock is held. */
void thread_unwind(struct kymo_thread *thread, uint64_t now);
/* The same if it continues, as of ticks, but not before its latest event, which may be later:
 * what its filter hides now stays hidden. */
void thread_close(struct kymo_thread *thread, uint64_t ticks);
/* In a forked child: take all states out of use.  They stay readable until they are discarded:
 * whoever still has one finds that it has no record. */
struct kymo_thread *threads_detach(void);
void threads_discard(struct kymo_thread *states);
/* Take all states out of use while their threads live: each gets a new one at its next event. */
void threads_retire(void);
/* Enter thread's outermost region again as of ticks, if there is one.  may_lock: the lock is not
 * held, and may be taken. */
void thread_reopen(struct kymo_thread *thread, uint64_t ticks, bool may_lock);
/* Make thread the calling thread's state. */
void thread_make_current(struct kymo_thread *thread);

/* Returned if nothing can be recorded. */
struct kymo_thread *thread_blocked(void);

#endif
