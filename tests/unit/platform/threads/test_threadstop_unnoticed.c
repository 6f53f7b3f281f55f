/* A process does not notice that its threads were stopped: not in calls, nor by its signals. */
#include "threadstop_fixture.h"

#include <sys/epoll.h>
#include <sys/ptrace.h>

/* Nothing can be stopped where registers are not known. */
#ifdef __x86_64__

#define SHORT_NS UINT64_C(5000000)

static volatile sig_atomic_t signals;

/* While its child lives, whoever has called vfork() sleeps where nothing interrupts it. */
static void run_vfork(void)
{
	pid_t made;

	child_says('v');
	made = vfork();
	if (made == 0) {
		char byte;

		(void)!read(gate[0], &byte, 1);
		_exit(0);
	}
	child_says('r');
	waitpid(made, NULL, 0);
}

static void test_one_that_sleeps_where_nothing_stops_it(void **state)
{
	pid_t child = child_begin(run_vfork);
	struct threadstop stop = stop_of(child);

	(void)state;
	assert_int_equal(child_said(), 'v');
	while (threadstop_all(&stop, threadstop_now_ns() + SHORT_NS) == THREADSTOP_DONE)
		threadstop_resume(&stop);
	assert_int_equal(stop.count, 1); /* it is asked, and must not be forgotten */
	threadstop_resume_rest(&stop, soon(), true);
	assert_int_equal(stop.count, 1); /* who is about to end leaves it to the kernel */
	let_end();
	threadstop_resume_rest(&stop, soon(), false);
	assert_int_equal(stop.count, 0);
	assert_int_equal(child_said(), 'r');
	child_ends(child);
}

static void run_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	int epoll = epoll_create1(0);

	epoll_ctl(epoll, EPOLL_CTL_ADD, gate[0], &event);
	child_says('e');
	if (epoll_wait(epoll, &event, 1, -1) != 1) /* EINTR, if it noticed */
		_exit(7);
}

static void wait_until_it_sleeps(pid_t child)
{
	while (proc_stat_state(child, child) != 'S')
		sched_yield();
}

static void test_calls_that_a_stop_ends_are_made_again(void **state)
{
	pid_t child = child_begin(run_epoll);
	struct threadstop stop = stop_of(child);

	(void)state;
	child_said();
	for (int i = 0; i < 10; i++) {
		wait_until_it_sleeps(child);
		assert_int_equal(threadstop_all(&stop, soon()), THREADSTOP_DONE);
		threadstop_resume(&stop);
	}
	let_end();
	child_ends(child);
}

static void take_signal(int number)
{
	(void)number;
	signals++;
}

static void run_signals(void)
{
	signal(SIGUSR1, take_signal);
	child_says('s');
	while (signals == 0)
		__asm__ volatile("");
}

static void test_a_signal_is_delivered_behind_the_stop(void **state)
{
	pid_t child = child_begin(run_signals);
	struct threadstop stop = stop_of(child);

	(void)state;
	child_said();
	assert_int_equal(threadstop_all(&stop, soon()), THREADSTOP_DONE);
	kill(child, SIGUSR1);
	assert_true(is_stopped(child, child));
	threadstop_resume(&stop);
	child_ends(child); /* it spins until it has taken the signal */
}

/* The signal itself stops the thread, before the interruption does. */
static void test_a_signal_that_comes_first_is_kept(void **state)
{
	pid_t child = child_begin(run_signals);
	struct threadstop stop = stop_of(child);
	struct threadstop_thread *thread;

	(void)state;
	child_said();
	assert_int_equal(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
	threads[stop.count++] = (struct threadstop_thread){.id = child};
	kill(child, SIGUSR1);
	thread = threadstop_find(&stop, child);
	while (threadstop_check(thread) == THREADSTOP_NOT_YET)
		sched_yield();
	assert_int_equal(thread->signal, SIGUSR1);
	threadstop_resume(&stop);
	child_ends(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_that_sleeps_where_nothing_stops_it),
		cmocka_unit_test(test_calls_that_a_stop_ends_are_made_again),
		cmocka_unit_test(test_a_signal_is_delivered_behind_the_stop),
		cmocka_unit_test(test_a_signal_that_comes_first_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
