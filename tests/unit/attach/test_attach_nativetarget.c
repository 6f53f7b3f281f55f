/* Threads whose native stacks are asked for, and that cannot be stopped. */
#include "attach/sample/nativetarget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/sample/watch.h"

static int go_on[2], out[2];

/* Another process traces the thread from when nobody did. */
static __attribute__((noreturn)) void trace(pid_t thread)
{
	char byte = ptrace(PTRACE_SEIZE, thread, NULL, NULL) == 0 ? 't' : 'f';

	(void)!write(out[1], &byte, 1);
	(void)!read(go_on[0], &byte, 1);
	_exit(0);
}

static void test_refusals_are_counted(void **state)
{
	struct watch watch = {.tasks.folder = -1};
	struct watch_thread thread = {0};
	struct nativetarget *native;
	struct problem problem;
	pid_t child, tracer;
	char byte;
	int error = 0;

	(void)state;
	assert_int_equal(pipe(go_on), 0);
	assert_int_equal(pipe(out), 0);
	child = fork();
	if (child == 0) {
		(void)!read(go_on[0], &byte, 1);
		_exit(0);
	}
	watch.target.pid = thread.task.id = child;
	assert_int_equal(nativetarget_new(&watch, &native, &problem), KYMO_OK);
	tracer = fork();
	if (tracer == 0)
		trace(child);
	assert_int_equal(read(out[0], &byte, 1), 1);
	assert_int_equal(byte, 't');
	assert_int_equal(nativetarget_refusals(native, &error), 0);
	assert_false(nativetarget_stop(native, &thread));
	assert_int_equal(nativetarget_refusals(native, &error), 1);
	assert_int_equal(error, EPERM);
	assert_int_equal(write(go_on[1], "gg", 2), 2);
	assert_int_equal(waitpid(tracer, NULL, 0), tracer);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_false(nativetarget_stop(native, &thread)); /* it is gone: nobody refused */
	assert_int_equal(nativetarget_refusals(native, &error), 1);
	nativetarget_free(native);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
