/* Resolving the real functions, once, at load. */
#include "collectors/waits/waits_real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/keeperrno.h"
#include "collectors/wrap.h"
#include "platform/processor.h"

struct waits_real waits_found;

static int waits_real_absent(void)
{
	return EINVAL;
}

/* Some processors have had two kinds of condition variables, and older loaders return the old
 * kind, which is not the one that is wrapped.  A preloaded library's, which has no version,
 * takes precedence over the C library's. */
static void *newer_version(const char *name, void *function)
{
	static const char *const older = PROCESSOR_OLD_CONDITIONS, *const newer =
									   PROCESSOR_CONDITIONS;

	if (older &&
	    (strcmp(name, "pthread_cond_wait") == 0 || strcmp(name, "pthread_cond_timedwait") == 0))
		if (function == dlvsym(RTLD_NEXT, name, older))
			return dlvsym(RTLD_NEXT, name, newer);
	return function;
}

static void *waits_real_next(const char *name)
{
	return newer_version(name, wrap_find(name, (void *)(uintptr_t)waits_real_absent));
}

void waits_resolve(void)
{
	KEEP_ERRNO();

#define WAIT(group, name, parameters, arguments, object)                                           \
	__atomic_store_n(&waits_found.name, (int(*) parameters)waits_real_next(#name),             \
			 __ATOMIC_RELAXED);
#define WAIT_TRIED(group, name, parameters, arguments, object, valid)                              \
	WAIT(group, name, parameters, arguments, object)
#include "collectors/waits/waits.def"
#undef WAIT
#undef WAIT_TRIED
	__atomic_store_n(&waits_found.sem_trywait, (int (*)(sem_t *))waits_real_next("sem_trywait"),
			 __ATOMIC_RELEASE);
}
