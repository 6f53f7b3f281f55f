/* What is opened while a standard stream is closed is moved away from its number. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/files/abovestreams.h"

static void test_descriptors_above_stay(void **state)
{
	int fd = open("/dev/null", O_RDONLY);

	(void)state;
	assert_true(fd > STDERR_FILENO);
	assert_int_equal(abovestreams(fd), fd);
	assert_true(fcntl(fd, F_GETFD) >= 0);
	close(fd);
}

static void test_a_stream_s_number_is_left(void **state)
{
	int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), fd, moved;

	(void)state;
	close(STDIN_FILENO);
	fd = open("/dev/null", O_RDONLY);
	assert_int_equal(fd, STDIN_FILENO);
	moved = abovestreams(fd);
	assert_true(moved > STDERR_FILENO);
	assert_int_equal(fcntl(moved, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
	close(moved);
	if (kept >= 0) {
		dup2(kept, STDIN_FILENO);
		close(kept);
	}
}

static void test_none_stays_none(void **state)
{
	(void)state;
	errno = ENOSYS;
	assert_int_equal(abovestreams(-1), -1);
	assert_int_equal(errno, ENOSYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptors_above_stay),
		cmocka_unit_test(test_a_stream_s_number_is_left),
		cmocka_unit_test(test_none_stays_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
