/* Waiting for threads, barriers, conditions and semaphores: called by the exported wrappers.
 * Everything here is hidden in libkymo-waits.so.  Each call is a region with the address of what
 * is waited for.  Context: thread. */
#ifndef KYMO_WAITS_H
#define KYMO_WAITS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <threads.h>
#include <time.h>

/* waits_<name>() replaces <name>(). */
#define WAIT(group, name, parameters, arguments, object)	      int waits_##name parameters;
#define WAIT_TRIED(group, name, parameters, arguments, object, valid) int waits_##name parameters;
#include "collectors/waits/waits.def"
#undef WAIT
#undef WAIT_TRIED

/* A time limit that the C library accepts. */
static inline bool waits_is_valid(clockid_t clock, const struct timespec *time)
{
	return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && time->tv_nsec >= 0 &&
	       time->tv_nsec < 1000000000;
}

#endif
