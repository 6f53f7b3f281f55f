/* Common part of every wrapper of a C library function: the real function.
 *
 * A preloaded library exports functions under the C library's names.  Each is a few lines: it
 * calls the logic, which is in hidden functions and reaches the C library only through pointers
 * resolved here.  Nothing here allocates or prints.  Context: any. */
#ifndef KYMO_WRAP_H
#define KYMO_WRAP_H

#include <dlfcn.h>
#include <stdarg.h>

#include "runtime/hot.h"

/* The next definition of a function after this library's, resolved once per process:
 * 	WRAP_REAL(pthread_join, int (*)(pthread_t, void **))(thread, value)
 * VERSION is for functions of which the C library keeps an older one under the same name. */
#define WRAP_REAL(name, type)		       ((type)wrap_next(&wrap_slot_##name, #name, NULL))
#define WRAP_REAL_VERSION(name, version, type) ((type)wrap_next(&wrap_slot_##name, #name, version))
#define WRAP_SLOT(name)			       static void *wrap_slot_##name

/* A wrapper's exported function, unlike the library's hidden ones. */
#define WRAP_EXPORT __attribute__((visibility("default")))

/* syscall(2) with any call: six arguments are passed on, unused ones are ignored. */
#define WRAP_SYSCALL(handler)                                                                      \
	WRAP_EXPORT long syscall(long number, ...)                                                 \
	{                                                                                          \
		long arguments[6];                                                                 \
		va_list list;                                                                      \
                                                                                                   \
		va_start(list, number);                                                            \
		for (int i = 0; i < 6; i++)                                                        \
			arguments[i] = va_arg(list, long);                                         \
		va_end(list);                                                                      \
		return handler(number, arguments);                                                 \
	}

/* The next definition of a function after this library's, resolved at load; absent if the C
 * library has none: then no program is linked with it. */
static inline void *wrap_find(const char *name, void *absent)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (function)
		return function;
	(void)dlerror(); /* the failure is not the program's */
	return absent;
}

static inline void *wrap_next(void **slot, const char *name, const char *version)
{
	void *function = __atomic_load_n(slot, __ATOMIC_RELAXED);

	if (kymo_likely(function != NULL))
		return function;
	function = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
	if (!function)
		function = dlsym(RTLD_NEXT, name);
	__atomic_store_n(slot, function, __ATOMIC_RELAXED);
	return function;
}

#endif
