/* The load average. */
#include "collectors/procstat/procstat_load.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "procstat_fixture.h"

static void test_three_averages(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	assert_false(procstat_load.open(&why));
	procstat_fixture_write("proc/loadavg", "0.52 1.25 10 2/345 6789\n");
	assert_true(procstat_load.open(&why));
	procstat_load.read();
	assert_string_equal(procstat_fixture_series(),
			    "Load Average 1 min (S) 0.52 \nLoad Average 5 min (S) 1.25 \n"
			    "Load Average 15 min (S) 10 \n");
	procstat_fixture_write("proc/loadavg", "3 x");
	procstat_load.read();
	assert_string_equal(procstat_fixture_series(),
			    "Load Average 1 min (S) 3 \nLoad Average 5 min (S) 1.25 \n"
			    "Load Average 15 min (S) 10 \n");
	procstat_fixture_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_averages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
