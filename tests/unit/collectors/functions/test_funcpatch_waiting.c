/* What threads wait in, by what the kernel says of them. */
#include "collectors/functions/threads/funcpatch_waiting.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

static const char *texts[2]; /* of threads 1 and 2 */
static bool are_listed;

long proc_read(int32_t process, int32_t thread, const char *name, char *bytes, size_t size)
{
	assert_int_equal(process, getpid());
	assert_string_equal(name, "syscall");
	return snprintf(bytes, size, "%s", texts[thread - 1]);
}

bool proc_threads(int32_t process, proc_thread_fn tell, void *context)
{
	(void)process;
	return are_listed && tell(1, context) && tell(2, context);
}

static int begin(void **state)
{
	(void)state;
	texts[0] = texts[1] = "running\n";
	are_listed = true;
	return 0;
}

static enum waiting of_call(long call, const char *arguments)
{
	char text[256];

	snprintf(text, sizeof(text), "%ld %s 0x7ffe00 0x7f0000\n", call, arguments);
	return of_text(text);
}

static void test_limits_of_calls(void **state)
{
	(void)state;
	assert_int_equal(of_call(SYS_epoll_pwait, "0x3 0x1 0x8 0xffffffff 0x0 0x8"), WAITING_FREE);
	assert_int_equal(of_call(SYS_epoll_pwait, "0x3 0x1 0x8 0x3e8 0x0 0x8"), WAITING_LIMIT);
	assert_int_equal(of_call(SYS_rt_sigtimedwait, "0x1 0x0 0x0 0x8 0x0 0x0"), WAITING_FREE);
	assert_int_equal(of_call(SYS_rt_sigtimedwait, "0x1 0x0 0x7ffeabc0 0x8 0x0 0x0"),
			 WAITING_LIMIT);
	assert_int_equal(of_call(SYS_io_uring_enter, "0x4 0x0 0x1 0x1 0x0 0x0"), WAITING_FREE);
	assert_int_equal(of_call(SYS_io_uring_enter, "0x4 0x0 0x1 0x9 0x0 0x0"), WAITING_LIMIT);
	assert_int_equal(of_call(SYS_getpid, "0x1 0x1 0x1 0x1 0x1 0x1"), WAITING_FREE);
}

static void test_limits_of_sockets(void **state)
{
	const struct timeval hour = {3600, 0};
	char arguments[64];
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	snprintf(arguments, sizeof(arguments), "0x%x 0x0 0x0 0x0 0x0 0x0", (unsigned)fd);
	assert_int_equal(of_call(SYS_accept, arguments), WAITING_FREE);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &hour, sizeof(hour));
	assert_int_equal(of_call(SYS_accept, arguments), WAITING_LIMIT);
	assert_int_equal(of_call(SYS_sendto, arguments), WAITING_FREE);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &hour, sizeof(hour));
	assert_int_equal(of_call(SYS_writev, arguments), WAITING_FRAGILE);
	close(fd);
}

static void test_texts_that_are_no_call(void **state)
{
	(void)state;
	assert_int_equal(of_text("running\n"), WAITING_FREE);
	assert_int_equal(of_text("-1 0x7ffe 0x7f"), WAITING_FREE);
	assert_int_equal(of_text(""), WAITING_FREE);
}

static void test_the_worst_of_all_threads(void **state)
{
	char limit[64];

	(void)state;
	snprintf(limit, sizeof(limit), "%ld 0x3 0x1 0x8 0x5 0x0 0x8\n", (long)SYS_epoll_pwait);
	texts[0] = limit;
	assert_int_equal(waiting_worst(0), WAITING_LIMIT);
	assert_int_equal(waiting_worst(1), WAITING_FREE); /* but for the caller */
	are_listed = false;
	assert_int_equal(waiting_worst(0), WAITING_FRAGILE); /* nobody knows */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_limits_of_calls, begin),
		cmocka_unit_test_setup(test_limits_of_sockets, begin),
		cmocka_unit_test_setup(test_texts_that_are_no_call, begin),
		cmocka_unit_test_setup(test_the_worst_of_all_threads, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
