/* The functions of the C library that the wait wrappers call.  Context: any. */
#ifndef KYMO_WAITS_REAL_H
#define KYMO_WAITS_REAL_H

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

struct waits_real {
#define WAIT(group, name, parameters, arguments, object)	      int(*name) parameters;
#define WAIT_TRIED(group, name, parameters, arguments, object, valid) int(*name) parameters;
#include "collectors/waits/waits.def"
#undef WAIT
#undef WAIT_TRIED
	int (*sem_trywait)(sem_t *semaphore);
};

extern struct waits_real waits_found;
void waits_resolve(void);

/* Also before this library's constructor has run. */
static inline const struct waits_real *waits_real(void)
{
	if (__builtin_expect(!__atomic_load_n(&waits_found.sem_trywait, __ATOMIC_ACQUIRE), 0))
		waits_resolve();
	return &waits_found;
}

#endif
