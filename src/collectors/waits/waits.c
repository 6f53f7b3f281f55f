/* A region around each call that waits.
 *
 * A thread that is cancelled in the call never returns: then a cleanup handler leaves the
 * region.  It is the C library's kind, not the compiler's, which would need the unwinder's
 * library in every process. */
#include "collectors/waits/waits.h"

#include <string.h>

#include "base/keeperrno.h"
#include "collectors/waits/waits_real.h"
#include "runtime/modules.h"
#include "runtime/objectregions.h"

enum group {
	JOIN = 1,
	BARRIERS = 2,
	CONDITIONS = 4,
};

static unsigned groups; /* recorded ones; none before the runtime is open */

/* Returns the region that was entered, 0 = none. */
static uint32_t waits_enter(unsigned group, struct kymo_object_regions *regions, uintptr_t object)
{
	struct kymo_thread *thread;
	uint32_t region;

	if (!(__atomic_load_n(&groups, __ATOMIC_RELAXED) & group))
		return 0;
	thread = kymo_thread();
	if (!kymo_admits(thread))
		return 0;
	region = kymo_object_region(regions, (const void *)object);
	return kymo_region_enter(thread, region) ? region : 0;
}

/* The thread's state is read again: a signal handler may have forked in the meantime. */
static void waits_leave(void *region)
{
	KEEP_ERRNO();

	if (region)
		kymo_region_leave(kymo_thread(), (uint32_t)(uintptr_t)region);
}

#define AROUND(group, name, arguments, object)                                                     \
	static struct kymo_object_regions regions = KYMO_OBJECT_REGIONS(#name);                    \
	uint32_t region = waits_enter(group, &regions, (uintptr_t)(object));                       \
	int result;                                                                                \
                                                                                                   \
	pthread_cleanup_push(waits_leave, (void *)(uintptr_t)region);                              \
	result = waits_real()->name arguments;                                                     \
	pthread_cleanup_pop(1);                                                                    \
	return result

#define WAIT(group, name, parameters, arguments, object)                                           \
	int waits_##name parameters                                                                \
	{                                                                                          \
		AROUND(group, name, arguments, object);                                            \
	}

/* These are cancellation points even if they need not wait. */
static bool take_at_once(sem_t *semaphore)
{
	KEEP_ERRNO();

	if (!(__atomic_load_n(&groups, __ATOMIC_RELAXED) & CONDITIONS))
		return false;
	pthread_testcancel();
	if (waits_real()->sem_trywait(semaphore) == 0)
		return true;
	return false;
}

#define WAIT_TRIED(group, name, parameters, arguments, object, valid)                              \
	int waits_##name parameters                                                                \
	{                                                                                          \
		if (!(valid))                                                                      \
			return waits_real()->name arguments;                                       \
		if (take_at_once(object))                                                          \
			return 0;                                                                  \
		AROUND(group, name, arguments, object);                                            \
	}

#include "collectors/waits/waits.def"

static unsigned chosen(const char *setting, unsigned group)
{
	const char *value = kymo_runtime_setting(setting);

	return value && !strcmp(value, "ON") ? group : 0;
}

static void waits_on_open(void)
{
	unsigned on = chosen("TRACE_THREAD_JOIN", JOIN) |
		      chosen("TRACE_THREAD_BARRIERS", BARRIERS) |
		      chosen("TRACE_THREAD_CONDITIONS", CONDITIONS);

	if (kymo_runtime_mode() == 0) /* samples only: they show which threads wait */
		return;
	if (on)
		kymo_modules_watch();
	__atomic_store_n(&groups, on, __ATOMIC_RELEASE);
}

__attribute__((constructor)) static void begin(void)
{
	waits_real();
	kymo_runtime_on_open(waits_on_open);
}
