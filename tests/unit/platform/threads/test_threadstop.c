/* Stopping the threads of a process: all of them, one by one, and where that is refused. */
#include "threadstop_fixture.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/ptrace.h>

/* Nothing can be stopped where registers are not known. */
#ifdef __x86_64__

#define OTHERS 3

static void wait_for_end(void)
{
	char byte;

	(void)!read(gate[0], &byte, 1);
}

static atomic_int spinning; /* in the child: threads in their loop, where steps can be repeated */

static void *spin(void *unused)
{
	atomic_fetch_add(&spinning, 1);
	for (;;)
		__asm__ volatile("");
	return unused;
}

static void run_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < OTHERS; i++)
		if (pthread_create(&thread, NULL, spin, NULL) != 0)
			_exit(8);
	while (atomic_load(&spinning) < OTHERS)
		sched_yield();
	child_says('r');
	wait_for_end();
}

static void test_all_threads_stand_still(void **state)
{
	pid_t child = child_begin(run_threads);
	struct threadstop stop = stop_of(child);

	(void)state;
	child_said();
	assert_int_equal(threadstop_all(&stop, soon()), THREADSTOP_DONE);
	assert_int_equal(stop.count, OTHERS + 1);
	for (size_t i = 0; i < stop.count; i++) {
		assert_true(threads[i].has_stopped && threads[i].registers.pc != 0);
		assert_true(is_stopped(child, threads[i].id));
	}
	assert_int_equal(threads[stop.count - 1].id, child); /* the last to be asked */
	assert_true(threads[stop.count - 1].registers.is_in_call);
	threadstop_resume(&stop);
	assert_int_equal(stop.count, 0);
	assert_false(is_stopped(child, child));
	let_end();
	child_ends(child);
}

static void test_but_for_one(void **state)
{
	pid_t child = child_begin(run_threads);
	struct threadstop stop = stop_of(child);

	(void)state;
	child_said();
	stop.except = child;
	assert_int_equal(threadstop_all(&stop, soon()), THREADSTOP_DONE);
	assert_int_equal(stop.count, OTHERS);
	assert_null(threadstop_find(&stop, child));
	assert_false(is_stopped(child, child));
	threadstop_resume(&stop);
	let_end();
	child_ends(child);
}

static void *make_more(void *generations)
{
	pthread_t thread;
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	while (pthread_create(&thread, &attributes, make_more, generations) != 0)
		sched_yield();
	return NULL;
}

static void run_generations(void)
{
	make_more(NULL);
	make_more(NULL);
	child_says('r');
	wait_for_end();
}

/* Each thread ends when it has made the next: whichever list is read, some are not in it. */
static void test_threads_that_begin_meanwhile(void **state)
{
	pid_t child = child_begin(run_generations);
	struct threadstop stop = stop_of(child);

	(void)state;
	child_said();
	for (int i = 0; i < 20; i++) {
		struct threadstop_thread before[THREADS_MAX];
		size_t asked, count;

		while (threadstop_all(&stop, soon()) != THREADSTOP_DONE)
			threadstop_resume(&stop);
		count = stop.count;
		for (size_t k = 0; k < count; k++)
			before[k] = threads[k];
		assert_int_equal(threadstop_interrupt(&stop, SIZE_MAX, &asked), THREADSTOP_DONE);
		assert_int_equal(asked, 0); /* nobody was left to make one */
		for (size_t k = 0; k < count; k++)
			assert_true(is_stopped(child, before[k].id));
		threadstop_resume(&stop);
	}
	let_end();
	child_ends(child);
}

static void test_too_many_are_refused(void **state)
{
	pid_t child = child_begin(run_threads);
	struct threadstop stop = stop_of(child);

	(void)state;
	child_said();
	stop.capacity = OTHERS;
	assert_int_equal(threadstop_all(&stop, soon()), THREADSTOP_REFUSED);
	assert_int_equal(stop.error, ENOMEM);
	threadstop_resume_rest(&stop, soon(), false);
	assert_int_equal(stop.count, 0);
	for (size_t i = 0; i < OTHERS; i++) /* whoever was asked runs on */
		assert_false(is_stopped(child, threads[i].id));
	let_end();
	child_ends(child);
}

static void run_traced(void)
{
	pid_t traced = fork();

	if (traced == 0)
		pause();
	if (ptrace(PTRACE_SEIZE, traced, NULL, NULL) != 0)
		_exit(8);
	if (write(said[1], &traced, sizeof(traced)) != sizeof(traced))
		_exit(9);
	wait_for_end();
	kill(traced, SIGKILL);
}

static void test_one_with_another_tracer(void **state)
{
	pid_t child = child_begin(run_traced), traced;
	struct threadstop stop;

	(void)state;
	assert_int_equal(read(said[0], &traced, sizeof(traced)), sizeof(traced));
	stop = stop_of(traced);
	errno = ERANGE;
	assert_int_equal(threadstop_all(&stop, soon()), THREADSTOP_REFUSED);
	assert_int_equal(errno, ERANGE);
	assert_int_equal(stop.error, EPERM);
	assert_int_equal(stop.refused, traced);
	assert_int_equal(stop.count, 0);
	let_end();
	child_ends(child);
}

static void run_first_gone(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, spin, NULL);
	child_says('r');
	pthread_exit(NULL);
}

static void test_the_first_thread_has_ended(void **state)
{
	pid_t child = child_begin(run_first_gone);
	struct threadstop stop = stop_of(child);
	int status;

	(void)state;
	child_said();
	while (proc_stat_state(child, child) != 'Z')
		sched_yield();
	assert_int_equal(threadstop_all(&stop, soon()), THREADSTOP_DONE);
	assert_int_equal(stop.count, 1);
	assert_true(stop.has_first_ended);
	threadstop_resume(&stop);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
}

static void test_a_process_that_is_gone(void **state)
{
	pid_t child = child_begin(wait_for_end);
	struct threadstop stop = stop_of(child);

	(void)state;
	let_end();
	child_ends(child);
	assert_int_equal(threadstop_all(&stop, soon()), THREADSTOP_ENDED);
	assert_int_equal(proc_stat_state(child, child), 'X');
	assert_null(threadstop_add(&stop, child));
	assert_int_equal(stop.error, ESRCH);
}

static void test_one_that_is_killed_while_it_stands_still(void **state)
{
	pid_t child = child_begin(wait_for_end);
	struct threadstop stop = stop_of(child);
	struct threadstop_thread *thread;
	int status;

	(void)state;
	thread = threadstop_add(&stop, child);
	assert_non_null(thread);
	assert_true(threadstop_wait(&stop, soon()));
	kill(child, SIGKILL);
	thread->has_stopped = false;
	while (threadstop_check(thread) == THREADSTOP_NOT_YET)
		sched_yield();
	threadstop_forget(&stop, thread);
	assert_int_equal(stop.count, 0);
	/* The look has reaped it: it was this process's own child, too. */
	assert_true(waitpid(child, &status, 0) == child || errno == ECHILD);
}

static void test_steps(void **state)
{
	pid_t child = child_begin(run_threads);
	struct threadstop stop = stop_of(child);

	(void)state;
	child_said();
	assert_int_equal(threadstop_all(&stop, soon()), THREADSTOP_DONE);
	for (size_t i = 0; i < stop.count; i++) {
		struct threadstop_thread *thread = &threads[i];
		uint64_t before = thread->registers.pc;

		if (thread->id == child)
			continue;
		/* A loop of one instruction, or of few. */
		for (int k = 0; k < 8; k++)
			assert_true(threadstop_step(thread));
		assert_true(threadstop_set_pc(thread, before));
		assert_int_equal(thread->registers.pc, before);
		assert_true(is_stopped(child, thread->id));
	}
	threadstop_resume(&stop);
	let_end();
	child_ends(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_threads_stand_still),
		cmocka_unit_test(test_but_for_one),
		cmocka_unit_test(test_threads_that_begin_meanwhile),
		cmocka_unit_test(test_too_many_are_refused),
		cmocka_unit_test(test_one_with_another_tracer),
		cmocka_unit_test(test_the_first_thread_has_ended),
		cmocka_unit_test(test_a_process_that_is_gone),
		cmocka_unit_test(test_one_that_is_killed_while_it_stands_still),
		cmocka_unit_test(test_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
