/* What the kernel says has been used. */
#include "platform/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MEGABYTE ((size_t)1 << 20)

static void test_memory_grows_when_it_is_touched(void **state)
{
	const size_t size = 64 * MEGABYTE;
	uint64_t virtual_before = usage_memory_bytes(USAGE_VIRTUAL_BYTES),
		 resident_before = usage_memory_bytes(USAGE_RESIDENT_BYTES);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(resident_before > 0 && resident_before < virtual_before);
	assert_true(usage_memory_bytes(USAGE_VIRTUAL_BYTES) >= virtual_before + size);
	assert_true(usage_memory_bytes(USAGE_RESIDENT_BYTES) < resident_before + size / 2);
	memset(memory, 1, size);
	assert_true(usage_memory_bytes(USAGE_RESIDENT_BYTES) >= resident_before + size / 2);
	munmap(memory, size);
}

static void test_what_is_read_and_written(void **state)
{
	uint64_t read_before = usage_io_bytes(USAGE_READ_CHAR),
		 written_before = usage_io_bytes(USAGE_WRITTEN_CHAR);
	static char bytes[MEGABYTE];
	int file = memfd_create("usage", 0);

	(void)state;
	if (access("/proc/self/io", R_OK) < 0)
		skip();
	assert_int_equal(write(file, bytes, MEGABYTE), MEGABYTE);
	assert_true(usage_io_bytes(USAGE_WRITTEN_CHAR) >= written_before + MEGABYTE);
	assert_true(usage_io_bytes(USAGE_READ_CHAR) < read_before + MEGABYTE);
	assert_int_equal(pread(file, bytes, MEGABYTE, 0), MEGABYTE);
	assert_true(usage_io_bytes(USAGE_READ_CHAR) >= read_before + MEGABYTE);
	/* Memory is no device. */
	assert_true(usage_io_bytes(USAGE_WRITTEN_BYTES) <= usage_io_bytes(USAGE_WRITTEN_CHAR));
	close(file);
}

static void test_own_time_has_that_of_children(void **state)
{
	uint64_t before = usage_own_ns(), child_ns = 0;
	int pipes[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		/* Counted by the kernel in steps of its own: enough of them to be seen. */
		while (child_ns < 50 * 1000000u)
			child_ns = usage_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		_exit(write(pipes[1], &child_ns, sizeof(child_ns)) != sizeof(child_ns));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(read(pipes[0], &child_ns, sizeof(child_ns)), sizeof(child_ns));
	assert_true(usage_own_ns() >= before + child_ns / 2);
	close(pipes[0]);
	close(pipes[1]);
}

static void test_the_age_of_the_process(void **state)
{
	uint64_t up_ns = usage_clock_ns(CLOCK_BOOTTIME), first = usage_process_age_ns();

	(void)state;
	assert_true(first < up_ns + 1000000000u);
	assert_true(usage_process_age_ns() >= first);
}

static void test_threads_that_are_not_there(void **state)
{
	(void)state;
	errno = EDOM;
	assert_int_equal(usage_waited_ns(UINT64_MAX), 0);
	usage_waited_ns((uint64_t)syscall(SYS_gettid));
	assert_int_equal(usage_clock_ns((clockid_t)9999), 0);
	assert_int_equal(errno, EDOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_grows_when_it_is_touched),
		cmocka_unit_test(test_what_is_read_and_written),
		cmocka_unit_test(test_own_time_has_that_of_children),
		cmocka_unit_test(test_the_age_of_the_process),
		cmocka_unit_test(test_threads_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
