/* The guard around enter and leave, and the entries of a thread's stack of users' regions; in
 * userstack.c.  Context: thread. */
#ifndef KYMO_USERGUARD_H
#define KYMO_USERGUARD_H

#include "platform/stackmark.h"
#include "runtime/hot.h"

/* An entry of kymo_thread.user is a region with these bits. */
#define USER_NOT_ENTERED (1u << 31) /* nothing was recorded then, or it was closed since */
#define USER_PARAMETER	 (1u << 30) /* ends with the region around it */
#define USER_REGION	 (USER_PARAMETER - 1)

/* The uncommon cases of user_acquire(): false in a signal handler that interrupted code between
 * acquire and release, which is counted. */
bool user_acquire_slow(struct kymo_thread *thread, uint32_t mark);

/* Block recording by signal handlers of this thread until user_release(). */
static inline __attribute__((always_inline)) bool user_acquire(struct kymo_thread *thread)
{
	uint32_t mark = stack_mark();

	if (kymo_unlikely(thread->busy != 0))
		return user_acquire_slow(thread, mark);
	thread->busy = mark;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return true;
}

static inline __attribute__((always_inline)) void user_release(struct kymo_thread *thread)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->busy = 0;
}

#endif
