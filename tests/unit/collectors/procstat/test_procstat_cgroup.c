/* Limits and use of the control group, of both versions. */
#include "collectors/procstat/procstat_cgroup.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "procstat_fixture.h"

static void test_the_second_version(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	procstat_fixture_write("proc/self/cgroup", "0::/app.slice\n");
	procstat_fixture_write("sys/fs/cgroup/app.slice/memory.max", "max\n");
	procstat_fixture_write("sys/fs/cgroup/app.slice/memory.current", "5000000\n");
	procstat_fixture_write("sys/fs/cgroup/app.slice/cpu.max", "150000 100000\n");
	procstat_fixture_write(
		"sys/fs/cgroup/app.slice/cpu.stat",
		"usage_usec 1000000\nnr_periods 5\nnr_throttled 1\nthrottled_usec 9\n");
	assert_true(procstat_cgroup.open(&why));
	procstat_cgroup.read();
	procstat_fixture_write("sys/fs/cgroup/app.slice/cpu.stat",
			       "usage_usec 3500000\nnr_periods 25\nnr_throttled 4\n"
			       "throttled_usec 500009\n");
	procstat_cgroup.read();
	assert_string_equal(procstat_fixture_series(),
			    "Cgroup Memory Limit (S) - MB\nCgroup Memory (S) 5 MB\n"
			    "Cgroup CPU Limit (S) 1.5 cores\nCgroup CPU Time (S) 2.5 sec\n"
			    "Cgroup CPU Periods (S) 20 \nCgroup Throttled Periods (S) 3 \n"
			    "Cgroup Throttled Time (S) 0.5 sec\n");
	procstat_fixture_end();
}

/* Folders by controller; inside of a container the folder may not be there, but the root is. */
static void test_the_first_version(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	procstat_fixture_write("proc/self/cgroup",
			       "11:cpuset:/x\n5:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n");
	procstat_fixture_write("sys/fs/cgroup/memory/memory.limit_in_bytes",
			       "9223372036854771712\n");
	procstat_fixture_write("sys/fs/cgroup/memory/memory.usage_in_bytes", "7000000\n");
	procstat_fixture_write("sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "-1\n");
	procstat_fixture_write("sys/fs/cgroup/cpu/docker/1/cpu.cfs_period_us", "100000\n");
	procstat_fixture_write("sys/fs/cgroup/cpuacct/docker/1/cpuacct.usage", "1000\n");
	assert_true(procstat_cgroup.open(&why));
	procstat_cgroup.read();
	procstat_fixture_write("sys/fs/cgroup/cpuacct/docker/1/cpuacct.usage", "2000001000\n");
	procstat_fixture_write("sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "50000\n");
	procstat_cgroup.read();
	assert_string_equal(procstat_fixture_series(),
			    "Cgroup Memory Limit (S) - MB\nCgroup Memory (S) 7 MB\n"
			    "Cgroup CPU Limit (S) 0.5 cores\nCgroup CPU Time (S) 2 sec\n");
	procstat_fixture_end();
}

static void test_nothing_to_read(void **state)
{
	static const char *const texts[] = {"", "0", "0:", "0::", "::::\n", "4:memoryx:/a\n"};
	const char *why = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		procstat_fixture_begin();
		procstat_fixture_write("proc/self/cgroup", texts[i]);
		assert_false(procstat_cgroup.open(&why));
		assert_non_null(why);
		procstat_fixture_end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_second_version),
		cmocka_unit_test(test_the_first_version),
		cmocka_unit_test(test_nothing_to_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
