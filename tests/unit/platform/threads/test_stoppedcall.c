/* Which system calls are made again when a stop has ended them. */
#include "platform/threads/stoppedcall.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include <cmocka.h>

static void test_what_can_be_made_again(void **state)
{
	(void)state;
	assert_true(stoppedcall_can_repeat(SYS_epoll_pwait));
	assert_true(stoppedcall_can_repeat(SYS_semop));
	assert_true(stoppedcall_can_repeat(SYS_read));
	assert_false(stoppedcall_can_repeat(SYS_connect));
	assert_false(stoppedcall_can_repeat(SYS_write)); /* a part may have been written */
	assert_false(stoppedcall_can_repeat(SYS_getpid));
	assert_false(stoppedcall_can_repeat(-1)); /* none was ended */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_can_be_made_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
