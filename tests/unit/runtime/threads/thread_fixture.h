/* What the tests of threads share. */
#ifndef KYMO_THREAD_FIXTURE_H
#define KYMO_THREAD_FIXTURE_H

#include "runtime/threads/thread.h"

#include <pthread.h>

#include "model/tree/calltree.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/store.h"
#include "runtime_fixture.h"

static uint32_t region;

/* As collectors do it. */
static inline void visit(void)
{
	if (kymo_thread()->blocked)
		return;
	kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE);
	kymo_leave(kymo_thread(), region, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE);
}

static inline void run_thread(void *(*body)(void *), void *argument)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, body, argument) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

static inline size_t state_count(void)
{
	size_t count = 0;

	for (const struct kymo_thread *thread = thread_list; thread; thread = thread->next)
		count++;
	return count;
}

static inline void wait_for_child(pid_t child)
{
	int status;

	CHECK(child > 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static inline size_t count_files(void)
{
	DIR *stream = opendir(fixture_directory);
	size_t count = 0;

	while (readdir(stream))
		count++;
	closedir(stream);
	return count - 2;
}

/* Without the checks for leaks that a sanitizer makes at exit. */
static inline void exit_at_once(void)
{
	_exit(0);
}

/* The child's only thread ends, and with it the child. */
static inline void end_thread(void)
{
	atexit(exit_at_once);
	pthread_exit(NULL);
}

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}

#endif
