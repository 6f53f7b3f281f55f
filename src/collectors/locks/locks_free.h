/* Mutexes that need not be tried before they are locked.
 *
 * Trying costs more than locking.  So a plain mutex without an owner is locked directly, as long as
 * none of those that share a mark with it was ever waited for.  A wait that begins within the
 * nanoseconds between testing and locking is missed, until the mutex is marked.
 *
 * Testing costs nothing in addition to the locked instruction that follows, except for two
 * things that this avoids: reading the lock word itself, which the last locked instruction has
 * just written, and an address that must be computed first.  Context: any. */
#ifndef KYMO_LOCKS_FREE_H
#define KYMO_LOCKS_FREE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

extern uint64_t locks_marks;

static inline uint64_t locks_mark_of(const volatile void *object)
{
	return (uint64_t)1 << ((uintptr_t)object >> 5 & 63);
}

/* Mark the object as waited for. */
static inline void locks_mark(const volatile void *object)
{
	uint64_t mark = locks_mark_of(object);

	if (!(__atomic_load_n(&locks_marks, __ATOMIC_RELAXED) & mark))
		__atomic_fetch_or(&locks_marks, mark, __ATOMIC_RELAXED);
}

static inline bool locks_is_never(const volatile void *object)
{
	(void)object;
	return false;
}

#ifdef __GLIBC__
static inline bool locks_is_free(const volatile void *object)
{
	const volatile pthread_mutex_t *mutex = object;

	return mutex->__data.__owner == 0 && mutex->__data.__kind == PTHREAD_MUTEX_TIMED_NP &&
	       !(__atomic_load_n(&locks_marks, __ATOMIC_RELAXED) & locks_mark_of(object));
}
#else
#define locks_is_free locks_is_never
#endif

/* clang-format off */
#define LOCKS_IS_FREE(object) \
	_Generic((object), pthread_mutex_t *: locks_is_free, default: locks_is_never)(object)
/* clang-format on */

#endif
