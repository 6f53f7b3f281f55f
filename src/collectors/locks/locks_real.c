/* Resolving the real functions, once, at load. */
#include "collectors/locks/locks_real.h"

#include <errno.h>
#include <stdint.h>

#include "base/keeperrno.h"
#include "collectors/wrap.h"

struct lock_calls locks_real;

static __thread bool is_resolving __attribute__((tls_model("initial-exec")));

static int locks_real_absent(void)
{
	return EINVAL;
}

static void *locks_real_next(const char *name)
{
	return wrap_find(name, (void *)(uintptr_t)locks_real_absent);
}

void locks_resolve(void)
{
	KEEP_ERRNO();

	is_resolving = true;
#define BLOCKING(group, name, parameters, arguments, try, busy, is_direct)                         \
	PLAIN(group, name, parameters, arguments)
#define PLAIN(group, name, parameters, arguments)                                                  \
	__atomic_store_n(&locks_real.name, (int(*) parameters)locks_real_next(#name),              \
			 __ATOMIC_RELAXED);
#include "collectors/locks/locks.def"
#undef BLOCKING
#undef PLAIN
	is_resolving = false;
}

bool locks_is_resolving(void)
{
	return is_resolving;
}
