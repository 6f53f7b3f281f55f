/* The clocks of cores, of sysfs or of /proc/cpuinfo. */
#include "collectors/procstat/procstat_frequency.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "procstat_fixture.h"

bool procstat_core_is_chosen(unsigned core)
{
	return core != 1;
}

static void test_sysfs_comes_first(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	procstat_fixture_write("proc/cpuinfo", "processor : 0\ncpu MHz : 1\n");
	procstat_fixture_write("sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "2400000\n");
	procstat_fixture_write("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "9\n");
	procstat_fixture_write("sys/devices/system/cpu/cpufreq/x", "9\n");
	assert_true(procstat_frequency.open(&why));
	procstat_frequency.read();
	assert_string_equal(procstat_fixture_series(), "CPU Frequency [2] (S) 2400 MHz\n");
	procstat_fixture_end();
}

static void test_cpuinfo(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	procstat_fixture_write(
		"proc/cpuinfo",
		"processor\t: 0\nmodel\t: x\ncpu MHz\t\t: 1000.5\n\n"
		"processor\t: 1\ncpu MHz\t\t: 2000\n\nprocessor\t: 2\ncpu MHz\t\t: 3000\n");
	assert_true(procstat_frequency.open(&why));
	procstat_frequency.read();
	assert_string_equal(procstat_fixture_series(), "CPU Frequency [0] (S) 1000.5 MHz\n"
						       "CPU Frequency [2] (S) 3000 MHz\n");
	procstat_fixture_end();
}

static void test_processors_that_do_not_tell(void **state)
{
	static const char *const texts[] = {"", "processor : 0\n",
					    "processor : 99999\ncpu MHz : 1\n", "processor",
					    "processor : 0\ncpu MHz"};
	const char *why;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		procstat_fixture_begin();
		procstat_fixture_write("proc/cpuinfo", texts[i]);
		assert_false(procstat_frequency.open(&why));
		assert_string_equal(procstat_fixture_series(), "");
		procstat_fixture_end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sysfs_comes_first),
		cmocka_unit_test(test_cpuinfo),
		cmocka_unit_test(test_processors_that_do_not_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
