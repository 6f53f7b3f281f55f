/* Files of the kernel's about threads, read without the C library. */
#include "platform/proc/proc_file.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_a_file_of_this_process(void **state)
{
	char bytes[4096];
	long size = proc_read(getpid(), 0, "status", bytes, sizeof(bytes));

	(void)state;
	assert_true(size > 0 && bytes[size] == '\0');
	assert_memory_equal(bytes, "Name:", 5);
	assert_int_equal(proc_read(getpid(), getpid(), "status", bytes, sizeof(bytes)) > 0, 1);
	assert_int_equal(proc_read(PROC_SELF, 0, "status", bytes, sizeof(bytes)) > 0, 1);
	assert_int_equal(proc_read(PROC_SELF, getpid(), "status", bytes, sizeof(bytes)) > 0, 1);
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
	assert_int_equal(proc_read(0, 0, "stat", bytes, sizeof(bytes)), -ENOENT);
	assert_int_equal(proc_read(-5, 0, "stat", bytes, sizeof(bytes)), -ENOENT);
	assert_int_equal(proc_read(getpid(), -5, "stat", bytes, sizeof(bytes)), -ENOENT);
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

static void test_count_of_threads(void **state)
{
	(void)state;
	assert_int_equal(proc_thread_count(PROC_SELF), 1);
	assert_int_equal(proc_thread_count(INT32_MAX), 0);
}

struct family {
	int32_t children[4];
	unsigned count;
};

static bool keep_child(int32_t child, void *context)
{
	struct family *family = context;

	family->children[family->count++] = child;
	return family->count < 4;
}

/* However the file comes in parts. */
static void test_numbers_of_children(void **state)
{
	static const char text[] = "12 345 6789 ";

	(void)state;
	for (long cut = 0; cut <= (long)sizeof(text) - 1; cut++) {
		struct family family = {.count = 0};
		int32_t child = 0;

		assert_true(report_children(text, cut, &child, keep_child, &family));
		assert_true(report_children(text + cut, (long)sizeof(text) - 1 - cut, &child,
					    keep_child, &family));
		assert_int_equal(family.count, 3);
		assert_int_equal(family.children[0], 12);
		assert_int_equal(family.children[1], 345);
		assert_int_equal(family.children[2], 6789);
	}
}

static void test_children(void **state)
{
	struct family family = {.count = 0};
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		pause();
		_exit(0);
	}
	/* Kernels without CONFIG_PROC_CHILDREN have no such file. */
	if (proc_children(getpid(), getpid(), keep_child, &family)) {
		assert_int_equal(family.count, 1);
		assert_int_equal(family.children[0], child);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_false(proc_children(INT32_MAX, 1, keep_child, &family));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_of_this_process),
		cmocka_unit_test(test_little_room),
		cmocka_unit_test(test_what_is_not_there),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_count_of_threads),
		cmocka_unit_test(test_numbers_of_children),
		cmocka_unit_test(test_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
