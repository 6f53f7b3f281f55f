/* A system call that cannot be interposed: a preloaded library may replace any function of the C
 * library, including syscall().  No errno, not a cancellation point; a
 * negative result is -errno.  Context: any. */
#ifndef KYMO_RAWCALL_H
#define KYMO_RAWCALL_H

#include <sys/syscall.h>

/* raw_call6(number, first, ... sixth) */
#if defined(__x86_64__)
#include "platform/x86_64/rawcall.h"
#elif defined(__aarch64__)
#include "platform/aarch64/rawcall.h"
#else
#include "platform/other/rawcall.h"
#endif

static inline __attribute__((always_inline)) long raw_call(long number, long first, long second,
							   long third)
{
	return raw_call6(number, first, second, third, 0, 0, 0);
}

#endif
