/* Interposes the calls that take, drop and wait for the GIL. */
#include "collectors/gil/gil.h"

#include <string.h>

#include "collectors/gil/gil_find.h"
#include "collectors/gil/gil_thread.h"
#include "collectors/wrap.h"
#include "platform/processor.h"

static bool is_on;

WRAP_SLOT(pthread_cond_signal);
WRAP_SLOT(pthread_cond_wait);
WRAP_SLOT(pthread_cond_timedwait);

static int real_signal(pthread_cond_t *condition)
{
	return WRAP_REAL_VERSION(pthread_cond_signal, PROCESSOR_CONDITIONS,
				 int (*)(pthread_cond_t *))(condition);
}

static int real_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	return WRAP_REAL_VERSION(pthread_cond_wait, PROCESSOR_CONDITIONS,
				 int (*)(pthread_cond_t *, pthread_mutex_t *))(condition, mutex);
}

static int real_timed_wait(pthread_cond_t *condition, pthread_mutex_t *mutex,
			   const struct timespec *time)
{
	return WRAP_REAL_VERSION(pthread_cond_timedwait, PROCESSOR_CONDITIONS,
				 int (*)(pthread_cond_t *, pthread_mutex_t *,
					 const struct timespec *))(condition, mutex, time);
}

static uintptr_t gil_condition_of(const uintptr_t *place)
{
	return __atomic_load_n(place, __ATOMIC_RELAXED);
}

/* The condition is signalled after the event, so it is counted first: threads that wake up must
 * not be seen taking the GIL before this thread has dropped it. */
int gil_signal(pthread_cond_t *condition)
{
	uintptr_t address = (uintptr_t)condition;

	if (kymo_likely(!__atomic_load_n(&is_on, __ATOMIC_RELAXED)))
		return real_signal(condition);
	if (address == gil_condition_of(&gil_conditions.taken))
		gil_was_taken();
	else if (address == gil_condition_of(&gil_conditions.dropped))
		gil_is_dropped();
	else if (!gil_condition_of(&gil_conditions.taken))
		gil_find();
	return real_signal(condition);
}

static bool is_for_gil(const pthread_cond_t *condition)
{
	return __atomic_load_n(&is_on, __ATOMIC_RELAXED) && condition &&
	       (uintptr_t)condition == gil_condition_of(&gil_conditions.dropped);
}

/* CPython waits with a time limit of some milliseconds, repeatedly: recorded as one wait, in
 * which other collectors are suspended. */
int gil_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	int result;

	if (!is_for_gil(condition))
		return real_wait(condition, mutex);
	gil_is_wanted();
	kymo_thread()->blocked++;
	result = real_wait(condition, mutex);
	kymo_thread()->blocked--;
	return result;
}

int gil_timed_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time)
{
	int result;

	if (!is_for_gil(condition))
		return real_timed_wait(condition, mutex, time);
	gil_is_wanted();
	kymo_thread()->blocked++;
	result = real_timed_wait(condition, mutex, time);
	kymo_thread()->blocked--;
	return result;
}

static void gil_on_open(void)
{
	const char *value = kymo_runtime_setting("TRACE_GIL");

	if (!value || strcmp(value, "ON") != 0)
		return;
	gil_find_begin();
	gil_thread_begin();
	__atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
}

__attribute__((constructor)) static void begin(void)
{
	kymo_runtime_on_open(gil_on_open);
}
