/* KEEP_ERRNO(); restores errno at every return of a function.  Placed among the declarations.
 * Context: any. */
#ifndef KYMO_KEEPERRNO_H
#define KYMO_KEEPERRNO_H

#include <errno.h>

static inline void keeperrno_put_back(const int *kept)
{
	errno = *kept;
}

#define KEEP_ERRNO() int errno_kept __attribute__((cleanup(keeperrno_put_back), unused)) = errno

#endif
