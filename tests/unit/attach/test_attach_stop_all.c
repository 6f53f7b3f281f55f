/* Stopping all threads of another process: what is said where that cannot be. */
#include "attach/target/stop_all.h"

#include <stdlib.h>
#include <sys/ptrace.h>

#include "child_fixture.h"

#ifdef __x86_64__

static void test_all_and_any(void **state)
{
	const struct threadstop_thread *any;
	struct problem problem;
	struct stop_all stop;
	struct child child;

	(void)state;
	child_start(&child, NULL);
	stop_all_init(&stop, child.pid);
	any = stop_all_any(&stop, &problem);
	assert_non_null(any);
	assert_int_equal(any->id, child.pid);
	stop_all_end(&stop);
	assert_int_equal(stop_all_begin(&stop, 0, &problem), KYMO_OK);
	assert_int_equal(stop.all.count, 1);
	assert_true(stop.all.threads[0].has_stopped);
	stop_all_end(&stop);
	assert_true(stop.lasted_ns > 0);
	assert_int_equal(stop.all.count, 0);
	stop_all_release(&stop);
	assert_int_equal(child_end(&child), 0); /* its read() came back with the byte */
}

static void test_one_that_has_ended(void **state)
{
	struct problem problem;
	struct stop_all stop;
	struct child child;
	char line[64];

	(void)state;
	child_start(&child, NULL);
	stop_all_init(&stop, child.pid);
	assert_int_equal(child_end(&child), 0);
	snprintf(line, sizeof(line), "process %d has ended", (int)child.pid);
	assert_int_equal(stop_all_begin(&stop, 0, &problem), KYMO_ERROR);
	assert_string_equal(problem.text, line);
	assert_null(stop_all_any(&stop, &problem));
	assert_string_equal(problem.text, line);
	stop_all_release(&stop);
}

static void test_one_with_another_tracer(void **state)
{
	struct problem problem;
	struct stop_all stop;
	struct child child, tracer;
	pid_t traced;
	char line[160];

	(void)state;
	child_start(&child, NULL);
	traced = child.pid;
	assert_int_equal(pipe(tracer.told), 0);
	assert_int_equal(pipe(tracer.says), 0);
	tracer.pid = fork();
	if (tracer.pid == 0) {
		if (ptrace(PTRACE_SEIZE, traced, NULL, NULL) != 0)
			_exit(2);
		child_wait(&tracer);
		_exit(0);
	}
	assert_int_equal(read(tracer.says[0], line, 1), 1);
	stop_all_init(&stop, traced);
	snprintf(line, sizeof(line),
		 "thread %d of process %d cannot be stopped: Operation not permitted; another "
		 "tracer (a debugger, strace) may have it",
		 (int)traced, (int)traced);
	assert_int_equal(stop_all_begin(&stop, 0, &problem), KYMO_SYSTEM);
	assert_string_equal(problem.text, line);
	assert_null(stop_all_any(&stop, &problem));
	stop_all_release(&stop);
	assert_int_equal(child_end(&tracer), 0);
	assert_int_equal(child_end(&child), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_and_any),
		cmocka_unit_test(test_one_that_has_ended),
		cmocka_unit_test(test_one_with_another_tracer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
