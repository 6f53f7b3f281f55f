/* The process's memory, and times that do not step back. */
#include "collectors/procstat/procstat_process.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "procstat_fixture.h"

static int begin(void **state)
{
	(void)state;
	procstat_fixture_begin();
	return 0;
}

static int end(void **state)
{
	(void)state;
	procstat_fixture_end();
	return 0;
}

static void test_memory_in_pages(void **state)
{
	const char *why;
	char line[128];

	(void)state;
	procstat_fixture_write("proc/self/statm", "5000 2000 300 1 0 100 0\n");
	assert_true(procstat_process.open(&why));
	procstat_process.read();
	snprintf(line, sizeof(line),
		 "CPU Memory Usage (S) %.6g MB\nCPU Virtual Memory Usage (S) %.6g MB\n",
		 2000 * (double)sysconf(_SC_PAGESIZE) * 1e-6,
		 5000 * (double)sysconf(_SC_PAGESIZE) * 1e-6);
	assert_non_null(strstr(procstat_fixture_series(), line));
	assert_null(strstr(procstat_fixture_series(), "CPU Page Faults (S) -"));
}

/* What there is of the rest is recorded all the same. */
static void test_without_the_file(void **state)
{
	const char *why;

	(void)state;
	assert_true(procstat_process.open(&why));
	procstat_process.read();
	assert_null(strstr(procstat_fixture_series(), "Memory Usage"));
	assert_null(strstr(procstat_fixture_series(), "CPU User Time (S) -"));
}

static void test_times_do_not_step_back(void **state)
{
	struct procstat_series series;

	(void)state;
	procstat_series_define(&series, "sec", "T");
	put_time(&series, (struct timeval){-1, 0}); /* the reading thread's share was larger */
	assert_string_equal(procstat_fixture_series(), "T 0 sec\n");
	put_time(&series, (struct timeval){2, 500000});
	assert_string_equal(procstat_fixture_series(), "T 2.5 sec\n");
	series.has_last = true;
	series.last = 2.5;
	put_time(&series, (struct timeval){2, 400000});
	assert_string_equal(procstat_fixture_series(), "T 2.5 sec\n");
}

static void test_peak(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_write("proc/self/status", "Name:\tx\nVmPeak:\t 9 kB\n");
	assert_false(procstat_peak.open(&why));
	assert_string_equal(why, "/proc/self/status has no VmHWM");
	procstat_fixture_write("proc/self/status", "Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t 2000 kB\n");
	assert_true(procstat_peak.open(&why));
	procstat_peak.read();
	assert_string_equal(procstat_fixture_series(), "CPU Peak Memory (S) 2.048 MB\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_memory_in_pages, begin, end),
		cmocka_unit_test_setup_teardown(test_without_the_file, begin, end),
		cmocka_unit_test_setup_teardown(test_times_do_not_step_back, begin, end),
		cmocka_unit_test_setup_teardown(test_peak, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
