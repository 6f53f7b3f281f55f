/* A system call on unknown processors: platform/rawcall.h. */
#ifndef KYMO_RAWCALL_OTHER_H
#define KYMO_RAWCALL_OTHER_H

#include <errno.h>
#include <unistd.h>

#include "base/keeperrno.h"

/* By the C library's syscall(); its errno is kept. */
static inline long raw_call6(long number, long first, long second, long third, long fourth,
			     long fifth, long sixth)
{
	long result;
	KEEP_ERRNO();

	result = syscall(number, first, second, third, fourth, fifth, sixth);
	return result == -1 ? -errno : result;
}

#endif
