/* Implementation of the thread wrappers: created, begun, named; and prctl(), which names and
 * restricts threads.  If nothing is recorded each function only calls the wrapped one.  errno is
 * the wrapped function's.  Context: thread. */
#ifndef KYMO_LIFECYCLE_THREAD_H
#define KYMO_LIFECYCLE_THREAD_H

#include <pthread.h>
#include <threads.h>

/* Resolve the real functions now, while that may allocate.  Context: init. */
void lifecycle_thread_resolve(void);

/* Intern the regions of threads.  Context: init. */
void lifecycle_thread_init(void);
int lifecycle_thread_create(pthread_t *thread, const pthread_attr_t *attributes,
			    void *(*routine)(void *), void *argument);
int lifecycle_thread_create_c11(thrd_t *thread, thrd_start_t routine, void *argument);
int lifecycle_thread_name(pthread_t thread, const char *name);
/* As prctl(). */
int lifecycle_control_process(int option, const unsigned long arguments[4]);

#endif
