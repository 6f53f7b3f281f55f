/* Locks: mutexes, read-write locks, spin locks.  All of this folder is hidden in libkymo-locks.so.
 *
 * A call of an exported wrapper costs a test and one jump through locks_used.  Its target is
 * selected when the runtime opens: the real function if nothing has to be recorded, else one of
 * those in locks_recorded.c.  A lock may be called by any code: in malloc, with the loader's
 * lock held, in signal handlers, before any constructor.  So nothing in this folder allocates,
 * calls the loader after load, or takes a lock of its own.  Context: any. */
#ifndef KYMO_LOCKS_H
#define KYMO_LOCKS_H

#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

/* A function for each call. */
struct lock_calls {
#define BLOCKING(group, name, parameters, arguments, try, busy, is_direct) int(*name) parameters;
#define PLAIN(group, name, parameters, arguments)			   int(*name) parameters;
#include "collectors/locks/locks.def"
#undef BLOCKING
#undef PLAIN
};

#endif
