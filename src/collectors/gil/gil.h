/* Python's GIL: which thread holds it, which wait for it, and for how long.
 *
 * CPython signals one condition variable of the GIL whenever a thread has taken it and another
 * when a thread has dropped it, and waits with a time limit on the latter: in every version, and
 * through the C library's exported functions.  So interposing these sees all of them, at the
 * cost of two comparisons for any other condition.  Everything here is hidden in libkymo-gil.so.
 * The GIL is that of the main interpreter, of a Python that the program was linked with.
 * Context: thread. */
#ifndef KYMO_GIL_H
#define KYMO_GIL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

int gil_signal(pthread_cond_t *condition);
int gil_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int gil_timed_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time);

#endif
