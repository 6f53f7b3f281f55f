/* The functions of the C library that the lock wrappers call.  Context: any. */
#ifndef KYMO_LOCKS_REAL_H
#define KYMO_LOCKS_REAL_H

#include <stdbool.h>

#include "collectors/locks/locks.h"

extern struct lock_calls locks_real; /* complete after locks_resolve() */

/* Threads may run this concurrently: all store the same. */
void locks_resolve(void);
/* The calling thread is inside of that, in the loader. */
bool locks_is_resolving(void);

#endif
