/* The use of the cores, from two readings of /proc/stat. */
#include "collectors/procstat/procstat_cpu.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "procstat_fixture.h"

static void put_stat(const char *text)
{
	procstat_fixture_write("proc/stat", text);
}

static bool procstat_core_choice = true;

bool procstat_core_is_chosen(unsigned core)
{
	return procstat_core_choice || core == 1;
}

static void test_use_is_what_was_not_idle_since(void **state)
{
	const char *why;

	(void)state;
	procstat_core_choice = true;
	procstat_fixture_begin();
	put_stat("cpu  100 0 0 100 0 0 0 0 0 0\ncpu0 50 0 0 50 0 0 0 0\ncpu1 50 0 0 50 0 0 0 0\n"
		 "intr 5\n");
	assert_true(procstat_cpu.open(&why));
	procstat_cpu.read();
	assert_string_equal(procstat_fixture_series(), "CPU Use (S) - %\nCPU Use [0] (S) - %\n"
						       "CPU Use [1] (S) - %\n");
	/* Waiting for I/O is idle, time stolen is not; guests' times are in the user's. */
	put_stat("cpu  150 0 0 130 10 0 0 10 99 99\ncpu0 50 0 0 60 0 0 0 0\n"
		 "cpu1 100 0 0 50 0 0 0 0\nintr 5\n");
	procstat_cpu.read();
	assert_string_equal(procstat_fixture_series(), "CPU Use (S) 60 %\nCPU Use [0] (S) 0 %\n"
						       "CPU Use [1] (S) 100 %\n");
	procstat_fixture_end();
}

static void test_only_chosen_cores(void **state)
{
	const char *why;

	(void)state;
	procstat_core_choice = false;
	procstat_fixture_begin();
	put_stat("cpu  1 0 0 1\ncpu0 1 0 0 1\ncpu1 1 0 0 1\n");
	assert_true(procstat_cpu.open(&why));
	assert_string_equal(procstat_fixture_series(), "CPU Use (S) - %\nCPU Use [1] (S) - %\n");
	procstat_fixture_end();
}

/* The kernel's numbers may step back: such a reading says nothing, and the next one does. */
static void test_steps_back(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	put_stat("cpu  100 0 0 100\n");
	assert_true(procstat_cpu.open(&why));
	put_stat("cpu  90 0 0 100\n");
	procstat_cpu.read();
	assert_string_equal(procstat_fixture_series(), "CPU Use (S) - %\n");
	put_stat("cpu  110 0 0 130\n");
	procstat_cpu.read();
	assert_string_equal(procstat_fixture_series(), "CPU Use (S) 25 %\n");
	procstat_fixture_end();
}

static void test_what_is_no_stat(void **state)
{
	static const char *const texts[] = {"", "intr 5\n", "cp", "cpu0 1 2 3 4\n", "cpu9999 1\n"};
	const char *why = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		procstat_fixture_begin();
		put_stat(texts[i]);
		assert_false(procstat_cpu.open(&why));
		assert_string_equal(why, "/proc/stat cannot be read");
		procstat_fixture_end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_use_is_what_was_not_idle_since),
		cmocka_unit_test(test_only_chosen_cores),
		cmocka_unit_test(test_steps_back),
		cmocka_unit_test(test_what_is_no_stat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
