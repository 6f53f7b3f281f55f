/* What the tests of stopping threads share: a child that does something, and says so. */
#ifndef KYMO_THREADSTOP_FIXTURE_H
#define KYMO_THREADSTOP_FIXTURE_H

#include "platform/threads/threadstop.h"
#include "platform/proc/proc_stat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LONG_NS UINT64_C(20000000000) /* reached by nobody */

#define THREADS_MAX 64

static struct threadstop_thread threads[THREADS_MAX];
static int gate[2], said[2]; /* a byte lets it end; a byte says where it is */

static inline struct threadstop stop_of(pid_t child)
{
	return (struct threadstop){.process = child, .threads = threads, .capacity = THREADS_MAX};
}

static inline uint64_t soon(void)
{
	return threadstop_now_ns() + LONG_NS;
}

static inline void child_says(char what)
{
	if (write(said[1], &what, 1) != 1)
		_exit(9);
}

static inline char child_said(void)
{
	char what = 0;

	assert_int_equal(read(said[0], &what, 1), 1);
	return what;
}

static inline void let_end(void)
{
	assert_int_equal(write(gate[1], "e", 1), 1);
}

static inline pid_t child_begin(void (*run)(void))
{
	pid_t child;

	assert_int_equal(pipe(gate), 0);
	assert_int_equal(pipe(said), 0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run();
		_exit(0);
	}
	return child;
}

static inline void child_ends(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	for (int i = 0; i < 2; i++) {
		close(gate[i]);
		close(said[i]);
	}
}

static inline bool is_stopped(pid_t child, int32_t id)
{
	return proc_stat_state(child, id) == 't';
}

#endif
