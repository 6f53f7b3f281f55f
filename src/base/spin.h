/* A lock for the slow paths inside a recorded program: no allocation, no futex, knows its owner,
 * so that a signal handler which interrupts the holder is refused instead of deadlocked.
 * Context: any. */
#ifndef KYMO_SPIN_H
#define KYMO_SPIN_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct spin {
	uintptr_t owner; /* 0 = free; else the holder's token */
};

/* token: any value that identifies the calling thread, not 0 (the address of a thread-local).
 * False only if the calling thread holds the lock already. */
static inline bool spin_acquire(struct spin *lock, uintptr_t token)
{
	for (;;) {
		uintptr_t expected = 0;

		if (__atomic_compare_exchange_n(&lock->owner, &expected, token, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
		if (expected == token)
			return false;
		sched_yield();
	}
}

/* As above, but for a bounded time: for callers that may have interrupted a thread which the
 * holder waits for. */
static inline bool spin_acquire_within(struct spin *lock, uintptr_t token, unsigned yields)
{
	for (;;) {
		uintptr_t expected = 0;

		if (__atomic_compare_exchange_n(&lock->owner, &expected, token, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
		if (expected == token || yields-- == 0)
			return false;
		sched_yield();
	}
}

static inline void spin_release(struct spin *lock)
{
	__atomic_store_n(&lock->owner, 0, __ATOMIC_RELEASE);
}

#endif
