/* Who goes first while a process stands still: its own thread, and nobody else's, whatever the
 * process says. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/target/sched_boost.h"

static pid_t child_new(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(child > 0);
	return child;
}

static void child_end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static int nice_of(pid_t id)
{
	return getpriority(PRIO_PROCESS, (id_t)id);
}

static bool may_raise(void)
{
	int before = nice_of(0);
	bool may = setpriority(PRIO_PROCESS, 0, before - 1) == 0;

	if (may)
		setpriority(PRIO_PROCESS, 0, before);
	return may;
}

static void open_target(struct target *target, pid_t pid)
{
	struct problem problem;

	assert_int_equal(target_open(pid, target, &problem), KYMO_OK);
}

static void test_own_thread_goes_first(void **state)
{
	pid_t child = child_new();
	int before = nice_of(child), own = nice_of(0);
	struct target target;
	struct sched_boost boost;

	(void)state;
	open_target(&target, child);
	sched_boost_begin(&boost, &target, child);
	if (may_raise() || boost.own.is_raised) {
		assert_int_equal(nice_of(child), -20);
		assert_true(boost.other.is_raised);
	}
	sched_boost_end(&boost);
	assert_int_equal(nice_of(child), before);
	assert_int_equal(nice_of(0), own);
	target_close(&target);
	child_end(child);
}

/* Who looks at a process goes first alone, and is as before at the end. */
static void test_nobody_else(void **state)
{
	int own = nice_of(0), slack = prctl(PR_GET_TIMERSLACK);
	struct sched_boost boost;

	(void)state;
	sched_boost_begin(&boost, NULL, 0);
	assert_false(boost.other.is_raised);
	assert_int_equal(nice_of(0), boost.own.is_raised ? -20 : own);
	assert_int_equal(prctl(PR_GET_TIMERSLACK), 1);
	sched_boost_end(&boost);
	assert_int_equal(nice_of(0), own);
	assert_int_equal(prctl(PR_GET_TIMERSLACK), slack);
}

/* The process names a thread that is another's: as one does that wants that to go first. */
static void test_threads_of_others(void **state)
{
	pid_t child = child_new(), other = child_new();
	const pid_t ids[] = {other, getpid(), 1, 0, -1};
	int before = nice_of(other), first = nice_of(1);
	struct target target;
	struct sched_boost boost;

	(void)state;
	open_target(&target, child);
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		sched_boost_begin(&boost, &target, ids[i]);
		assert_false(boost.other.is_raised);
		assert_int_equal(nice_of(other), before);
		assert_int_equal(nice_of(1), first);
		sched_boost_end(&boost);
	}
	target_close(&target);
	child_end(child);
	child_end(other);
}

/* Its id may be another's by then. */
static void test_ended_meanwhile(void **state)
{
	pid_t child = child_new();
	int own = nice_of(0);
	struct target target;
	struct sched_boost boost;

	(void)state;
	open_target(&target, child);
	sched_boost_begin(&boost, &target, child);
	child_end(child);
	sched_boost_end(&boost);
	assert_int_equal(nice_of(0), own);
	sched_boost_begin(&boost, &target, child);
	assert_false(boost.other.is_raised);
	sched_boost_end(&boost);
	target_close(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_thread_goes_first),
		cmocka_unit_test(test_nobody_else),
		cmocka_unit_test(test_threads_of_others),
		cmocka_unit_test(test_ended_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
