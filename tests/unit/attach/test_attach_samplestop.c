/* Stopping threads of another process: what comes too late to be waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/target/samplestop.h"

static int go_on[2], out[2];

/* While its child lives, whoever has called vfork() sleeps where nothing interrupts it. */
static __attribute__((noreturn)) void sleep_in_vfork(void)
{
	char byte;

	if (write(out[1], "v", 1) == 1 && vfork() == 0) {
		(void)!read(go_on[0], &byte, 1);
		_exit(0);
	}
	_exit(write(out[1], "r", 1) != 1);
}

static bool has_more(int milliseconds)
{
	struct pollfd more = {.fd = out[0], .events = POLLIN};

	return poll(&more, 1, milliseconds) == 1;
}

static void test_one_that_stops_later_goes_on(void **state)
{
	struct samplestop stopping = {0};
	char byte;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(go_on), 0);
	assert_int_equal(pipe(out), 0);
	child = fork();
	if (child == 0)
		sleep_in_vfork();
	assert_int_equal(read(out[0], &byte, 1), 1);
	/* Until it has come to where it does not stop. */
	while (samplestop_stop(&stopping, child))
		samplestop_resume(&stopping);
	assert_true(samplestop_resume(&stopping)); /* it is to be looked after */
	assert_int_equal(write(go_on[1], "g", 1), 1);
	/* It stops now, and nobody asks for it again: it must go on all the same. */
	while (!has_more(1))
		samplestop_resume(&stopping);
	assert_int_equal(read(out[0], &byte, 1), 1);
	assert_int_equal(byte, 'r');
	assert_false(samplestop_resume(&stopping));
	samplestop_release(&stopping);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_that_stops_later_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
