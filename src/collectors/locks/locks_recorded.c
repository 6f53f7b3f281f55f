/* Recording the calls of locks.
 *
 * A lock is tried first, and one that is free was not waited for: it is not recorded, or as a
 * visit without a length if all calls are.  Only if it is taken does the thread enter a region
 * and call the real function.  Trying gives the same result as locking for all kinds of locks,
 * with two exceptions: "taken" where locking reports that this thread already has it, and robust
 * mutexes that are not recoverable, which glibc's try function leaves locked. */
#include "collectors/locks/locks_recorded.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>

#include "collectors/locks/locks_free.h"
#include "collectors/locks/locks_real.h"
#include "runtime/objectregions.h"
#include "runtime/store/regionvisit.h"

#define KIND_ROBUST 16 /* of a mutex in glibc */

uint64_t locks_marks;

static inline bool is_valid(clockid_t clock, const struct timespec *time)
{
	return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && time->tv_nsec >= 0 &&
	       time->tv_nsec < 1000000000;
}

/* The thread id as stored in locks; that of no thread if this one records nothing. */
static int recorded_own_id(void)
{
	const struct kymo_thread *thread = kymo_thread();

	return thread->record ? (int)thread->record->system_id : -1;
}

#ifdef __GLIBC__
static bool is_own_mutex(const volatile void *object)
{
	const pthread_mutex_t *mutex = (const pthread_mutex_t *)object;

	return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP &&
	       mutex->__data.__owner == recorded_own_id();
}

static bool is_own_rwlock(const volatile void *object)
{
	return ((const pthread_rwlock_t *)object)->__data.__cur_writer == recorded_own_id();
}

/* A robust mutex without an owner. */
static bool is_robust_mutex(const volatile void *object)
{
	const volatile pthread_mutex_t *mutex = object;

	return (mutex->__data.__kind & KIND_ROBUST) && !(mutex->__data.__lock & FUTEX_TID_MASK);
}
#else
#define is_own_mutex	locks_is_never
#define is_own_rwlock	locks_is_never
#define is_robust_mutex locks_is_never
#endif

/* True if locking returns an error instead of waiting for itself. */
/* clang-format off */
#define IS_OWN(object) \
	_Generic((object), pthread_mutex_t *: is_own_mutex, pthread_rwlock_t *: is_own_rwlock, \
		 default: locks_is_never)(object)
/* True if trying is not reliable, and locking will not wait. */
#define IS_ROBUST(object) \
	_Generic((object), pthread_mutex_t *: is_robust_mutex, default: locks_is_never)(object)
/* clang-format on */

/* Returns the region that was entered, 0 = none. */
static uint32_t recorded_enter(struct kymo_object_regions *regions, const volatile void *object)
{
	struct kymo_thread *thread = kymo_thread();
	uint32_t region;

	locks_mark(object);
	if (!kymo_admits(thread))
		return 0;
	region = kymo_object_region(regions, object);
	return kymo_region_enter(thread, region) ? region : 0;
}

/* The thread's state is read again: a signal handler may have forked in the meantime. */
static void recorded_leave(uint32_t region)
{
	if (region)
		kymo_region_leave(kymo_thread(), region);
}

static inline void recorded_visit(struct kymo_object_regions *regions, const volatile void *object)
{
	kymo_region_visit(kymo_thread(), kymo_object_region(regions, object));
}

/* One function of each kind for each call. */

#define WAITED(name, parameters, arguments)                                                        \
	static __attribute__((noinline)) int waited_##name parameters                              \
	{                                                                                          \
		uint32_t region = IS_OWN(object) ? 0 : recorded_enter(&regions_##name, object);    \
		int result = locks_real.name arguments;                                            \
                                                                                                   \
		recorded_leave(region);                                                            \
		return result;                                                                     \
	}

#define CONTENDED(name, parameters, arguments, try, busy, is_direct)                               \
	static int contended_##name parameters                                                     \
	{                                                                                          \
		int result;                                                                        \
                                                                                                   \
		if (IS_ROBUST(object) || (is_direct))                                              \
			return locks_real.name arguments;                                          \
		result = locks_real.try(object);                                                   \
		if (kymo_likely(result != busy))                                                   \
			return result;                                                             \
		return waited_##name arguments;                                                    \
	}

#define EVERY(name, parameters, arguments, try, busy, is_direct)                                   \
	static int every_##name parameters                                                         \
	{                                                                                          \
		bool is_tried = !(IS_ROBUST(object) || (is_direct));                               \
		int result = is_tried ? locks_real.try(object) : locks_real.name arguments;        \
                                                                                                   \
		if (kymo_unlikely(is_tried && result == busy)) {                                   \
			if (!IS_OWN(object))                                                       \
				return waited_##name arguments;                                    \
			result = locks_real.name arguments;                                        \
		}                                                                                  \
		recorded_visit(&regions_##name, object);                                           \
		return result;                                                                     \
	}

#define AT_ONCE(name, parameters, arguments)                                                       \
	static int at_once_##name parameters                                                       \
	{                                                                                          \
		int result = locks_real.name arguments;                                            \
                                                                                                   \
		recorded_visit(&regions_##name, object);                                           \
		return result;                                                                     \
	}

#define BLOCKING(group, name, parameters, arguments, try, busy, is_direct)                         \
	static struct kymo_object_regions regions_##name = KYMO_OBJECT_REGIONS(#name);             \
	WAITED(name, parameters, arguments)                                                        \
	CONTENDED(name, parameters, arguments, try, busy, is_direct)                               \
	EVERY(name, parameters, arguments, try, busy, is_direct)                                   \
	AT_ONCE(name, parameters, arguments)

#define PLAIN(group, name, parameters, arguments)                                                  \
	static struct kymo_object_regions regions_##name = KYMO_OBJECT_REGIONS(#name);             \
	AT_ONCE(name, parameters, arguments)

#include "collectors/locks/locks.def"
#undef BLOCKING
#undef PLAIN

const struct lock_calls locks_contended = {
#define BLOCKING(group, name, parameters, arguments, try, busy, is_direct) .name = contended_##name,
#define PLAIN(group, name, parameters, arguments)			   .name = NULL,
#include "collectors/locks/locks.def"
#undef BLOCKING
#undef PLAIN
};

#define PLAIN(group, name, parameters, arguments)			   .name = at_once_##name,
#define BLOCKING(group, name, parameters, arguments, try, busy, is_direct) .name = every_##name,
const struct lock_calls locks_all = {
#include "collectors/locks/locks.def"
};
#undef BLOCKING

#define BLOCKING(group, name, parameters, arguments, try, busy, is_direct) .name = at_once_##name,
const struct lock_calls locks_all_free = {
#include "collectors/locks/locks.def"
};
