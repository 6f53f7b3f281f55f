/* Pressure: shares as they are, times since the first reading. */
#include "collectors/procstat/procstat_pressure.c"

#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "procstat_fixture.h"

static void test_shares_and_times(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	procstat_fixture_write("proc/pressure/io",
			       "some avg10=1.50 avg60=0.00 avg300=0.00 total=1000\n"
			       "full avg10=0.25 avg60=0.00 avg300=0.00 total=500\n");
	assert_true(procstat_pressure.open(&why));
	procstat_pressure.read();
	procstat_fixture_write("proc/pressure/io",
			       "some avg10=2.00 avg60=0.00 avg300=0.00 total=2001000\n"
			       "full avg10=0.50 avg60=0.00 avg300=0.00 total=500\n");
	procstat_pressure.read();
	assert_string_equal(procstat_fixture_series(),
			    "Pressure I/O some (S) 2 %\nPressure I/O some Time (S) 2 sec\n"
			    "Pressure I/O full (S) 0.5 %\nPressure I/O full Time (S) 0 sec\n");
	procstat_fixture_end();
}

/* Older kernels have no "full" of the CPU; a broken line is no series. */
static void test_what_is_missing_or_broken(void **state)
{
	const char *why = NULL;

	(void)state;
	procstat_fixture_begin();
	assert_false(procstat_pressure.open(&why));
	assert_non_null(strstr(why, "CONFIG_PSI"));
	procstat_fixture_write("proc/pressure/cpu", "some avg10=3.00 avg60=0 avg300=0 total=7\n");
	procstat_fixture_write("proc/pressure/memory", "some avg10=x total=7\nfull\n");
	procstat_fixture_write("proc/pressure/io", "");
	assert_true(procstat_pressure.open(&why));
	procstat_pressure.read();
	assert_string_equal(procstat_fixture_series(),
			    "Pressure CPU some (S) 3 %\nPressure CPU some Time (S) 0 sec\n");
	procstat_fixture_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares_and_times),
		cmocka_unit_test(test_what_is_missing_or_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
