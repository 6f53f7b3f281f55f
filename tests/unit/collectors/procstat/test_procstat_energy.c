/* Energy counters of processors: small ones that begin anew at their end. */
#include "collectors/procstat/procstat_energy.c"

#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "procstat_fixture.h"

#define ZONE   "sys/class/powercap/intel-rapl:0/"
#define SECOND UINT64_C(1000000000)

static void test_energy_and_power(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	procstat_fixture_write(ZONE "energy_uj", "9000000\n");
	procstat_fixture_write(ZONE "name", "package-0\n");
	procstat_fixture_write(ZONE "max_energy_range_uj", "10000000\n");
	procstat_fixture_write("sys/class/powercap/other/energy_uj", "1\n");
	assert_true(procstat_energy.open(&why));
	procstat_fixture_now(1 * SECOND);
	procstat_energy.read();
	assert_string_equal(procstat_fixture_series(), "Energy package-0 [0] (S) 0 J\n"
						       "Power package-0 [0] (S) - W\n");
	procstat_fixture_write(ZONE "energy_uj", "9500000\n");
	procstat_fixture_now(2 * SECOND);
	procstat_energy.read();
	procstat_fixture_write(ZONE "energy_uj", "1500000\n"); /* past its end: 2 J */
	procstat_fixture_now(6 * SECOND);
	procstat_energy.read();
	assert_string_equal(procstat_fixture_series(), "Energy package-0 [0] (S) 2.5 J\n"
						       "Power package-0 [0] (S) 0.5 W\n");
	procstat_fixture_end();
}

static void test_why_there_is_none(void **state)
{
	const char *why = NULL;

	(void)state;
	procstat_fixture_begin();
	assert_false(procstat_energy.open(&why));
	assert_non_null(strstr(why, "no RAPL zone"));
	procstat_fixture_write(ZONE "name", "package-0\n");
	assert_false(procstat_energy.open(&why));
	assert_non_null(strstr(why, "by root only"));
	procstat_fixture_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_energy_and_power),
		cmocka_unit_test(test_why_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
