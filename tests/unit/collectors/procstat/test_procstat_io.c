/* What the process reads and writes. */
#include "collectors/procstat/procstat_io.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "procstat_fixture.h"

static void test_lines_in_their_order(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	procstat_fixture_write("proc/self/io",
			       "rchar: 3000000\nwchar: 4000000\nsyscr: 5\nsyscw: 6\n"
			       "read_bytes: 7000000\nwrite_bytes: x\n"
			       "cancelled_write_bytes: 1\n");
	assert_true(procstat_io.open(&why));
	procstat_io.read();
	assert_string_equal(
		procstat_fixture_series(),
		"I/O Read (S) 3 MB\nI/O Written (S) 4 MB\nI/O Read Calls (S) 5 \n"
		"I/O Write Calls (S) 6 \nStorage Read (S) 7 MB\nStorage Written (S) - MB\n");
	procstat_fixture_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
