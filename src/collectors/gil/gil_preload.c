/* The names that CPython calls; the logic is in gil.c.  Serves gil.h. */
#include "collectors/gil/gil.h"
#include "collectors/wrap.h"

WRAP_EXPORT int pthread_cond_signal(pthread_cond_t *condition)
{
	return gil_signal(condition);
}

WRAP_EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	return gil_wait(condition, mutex);
}

WRAP_EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
				       const struct timespec *time)
{
	return gil_timed_wait(condition, mutex, time);
}
