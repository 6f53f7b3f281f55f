/* Python's GIL: who holds it, who waits for it, and for how long.
 *
 * CPython signals one condition variable of the GIL whenever a thread has taken it and
 * another when a thread has dropped it, and waits with a time limit on the latter: on every
 * version, and through the C library's exported functions.  So whoever stands in front of
 * these sees each of them, at the price of two comparisons where it is another condition.
 * Everything here is hidden in libkymo-gil.so.  The GIL is that of the main interpreter, of
 * a Python that the program was linked with.  Context: thread. */
#ifndef KYMO_GIL_H
#define KYMO_GIL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct gil_place {	   /* addresses of the GIL's conditions; 0 = not found (yet) */
	uintptr_t dropped; /* signalled by who drops it, waited for by who wants it */
	uintptr_t taken;   /* signalled by who has taken it */
};
extern struct gil_place gil_place;

int gil_signal(pthread_cond_t *condition);
int gil_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int gil_timed_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time);

/* gil_find.c: look for the GIL now and then, until it is found.  Cheap when there is none. */
void gil_find(void);
/* Whether there can be one.  Context: init. */
void gil_find_begin(void);

/* gil_thread.c: what a thread has had of it. */

void gil_is_wanted(void); /* the calling thread begins to wait, or goes on */
void gil_was_taken(void);
void gil_is_dropped(void);
void gil_thread_begin(void); /* collection begins.  Context: init */

#endif
