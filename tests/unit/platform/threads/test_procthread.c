/* Files of the kernel's about threads, read without the C library. */
#include "platform/threads/procthread.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

static const char status[] = "Name:\ta\nTracerPid:\t12\nSigCgt:\t00000001800000ff\n"
			     "Empty:\t\nLast:\t7";

static void test_numbers_by_their_keys(void **state)
{
	(void)state;
	assert_int_equal(proc_number(status, "TracerPid", 10), 12);
	assert_int_equal(proc_number(status, "SigCgt", 16), 0x1800000ff);
	assert_int_equal(proc_number(status, "Last", 10), 7);
	assert_int_equal(proc_number(status, "Empty", 10), -1);
	assert_int_equal(proc_number(status, "Name", 10), -1);
	assert_int_equal(proc_number(status, "Pid", 10), -1); /* a line begins with it */
	assert_int_equal(proc_number("", "Name", 10), -1);
}

static void test_a_file_of_this_process(void **state)
{
	char bytes[4096];
	long size = proc_read(getpid(), 0, "status", bytes, sizeof(bytes));

	(void)state;
	assert_true(size > 0 && bytes[size] == '\0');
	assert_int_equal(proc_number(bytes, "Tgid", 10), getpid());
	size = proc_read(getpid(), getpid(), "status", bytes, sizeof(bytes));
	assert_true(size > 0);
	assert_int_equal(proc_number(bytes, "Pid", 10), getpid());
}

/* What does not fit is cut, and ended. */
static void test_little_room(void **state)
{
	char bytes[8];

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	assert_int_equal(proc_read(getpid(), 0, "status", bytes, 5), 4);
	assert_string_equal(bytes, "Name");
	assert_int_equal(bytes[5], 'x');
}

static void test_what_is_not_there(void **state)
{
	char bytes[8] = "abc";

	(void)state;
	assert_int_equal(proc_read(getpid(), 0, "nothing", bytes, sizeof(bytes)), -ENOENT);
	assert_string_equal(bytes, "");
}

struct seen {
	unsigned count;
	bool has_own, goes_on;
};

static bool see(int32_t thread, void *context)
{
	struct seen *seen = context;

	seen->count++;
	seen->has_own |= thread == getpid();
	return seen->goes_on;
}

static void test_threads(void **state)
{
	struct seen seen = {.goes_on = true};

	(void)state;
	assert_true(proc_threads(getpid(), see, &seen));
	assert_true(seen.has_own);
	seen = (struct seen){.goes_on = false};
	assert_true(proc_threads(getpid(), see, &seen));
	assert_int_equal(seen.count, 1);
	assert_false(proc_threads(INT32_MAX, see, &seen));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_by_their_keys),
		cmocka_unit_test(test_a_file_of_this_process),
		cmocka_unit_test(test_little_room),
		cmocka_unit_test(test_what_is_not_there),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
