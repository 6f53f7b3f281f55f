/* Resolving the real functions, once, at load. */
#include "collectors/signal_hiding/hiding_real.h"

#include <dlfcn.h>
#include <errno.h>

#include "base/keeperrno.h"
#include "collectors/wrap.h"

struct hiding_real hiding_found;

static long hiding_real_absent(void)
{
	errno = ENOSYS;
	return -1;
}

static void *hiding_real_next(const char *name)
{
	return wrap_find(name, (void *)(uintptr_t)hiding_real_absent);
}

#define FIND(name, order)                                                                          \
	__atomic_store_n(&hiding_found.name,                                                       \
			 (__typeof__(hiding_found.name))hiding_real_next(#name), order)

void hiding_resolve(void)
{
	KEEP_ERRNO();

#define WRAP(type, name, parameters, arguments)		FIND(name, __ATOMIC_RELAXED);
#define ALIAS(type, other, name, parameters, arguments) /* nothing of its own */
#include "collectors/signal_hiding/signal_hiding.def"
#undef WRAP
#undef ALIAS
	FIND(syscall, __ATOMIC_RELAXED);
	FIND(getsockopt, __ATOMIC_RELEASE);
}

__attribute__((constructor)) static void begin(void)
{
	(void)hiding_real();
}
