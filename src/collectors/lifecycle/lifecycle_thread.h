/* Threads, behind the wrappers: created, begun, named; and prctl(), which names and restricts them.
 * Where nothing is recorded each function does what the wrapped one does and nothing else.  errno
 * is the wrapped function's.  Context: thread. */
#ifndef KYMO_LIFECYCLE_THREAD_H
#define KYMO_LIFECYCLE_THREAD_H

#include <pthread.h>
#include <threads.h>

/* Find the real functions now, where that may allocate.  Context: init. */
void lifecycle_thread_resolve(void);

/* Make the regions of threads.  Context: init. */
void lifecycle_thread_init(void);
int lifecycle_thread_create(pthread_t *thread, const pthread_attr_t *attributes,
			    void *(*routine)(void *), void *argument);
int lifecycle_thread_create_c11(thrd_t *thread, thrd_start_t routine, void *argument);
int lifecycle_thread_name(pthread_t thread, const char *name);
/* As prctl(). */
int lifecycle_control_process(int option, const unsigned long arguments[4]);

#endif
