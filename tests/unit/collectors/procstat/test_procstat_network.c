/* Bytes of network interfaces, from when each was seen first. */
#include "collectors/procstat/procstat_network.c"

#include <stdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "procstat_fixture.h"

#define HEADINGS "Inter-|   Receive  |  Transmit\n face |bytes    packets |bytes\n"

static void put_dev(const char *lines)
{
	char text[1024];

	snprintf(text, sizeof(text), HEADINGS "%s", lines);
	procstat_fixture_write("proc/self/net/dev", text);
}

static void test_interfaces_that_come_later(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	put_dev("    lo: 1000 1 0 0 0 0 0 0 1000 1 0 0 0 0 0 0\n");
	assert_true(procstat_network.open(&why));
	procstat_network.read();
	put_dev("    lo: 3001000 1 0 0 0 0 0 0 1000 1 0 0 0 0 0 0\n"
		"eth0:5000000 1 0 0 0 0 0 0 6000000 1 0 0 0 0 0 0\n");
	procstat_network.read();
	put_dev("    lo: 3001000 1 0 0 0 0 0 0 1000 1 0 0 0 0 0 0\n"
		"eth0:5500000 1 0 0 0 0 0 0 9000000 1 0 0 0 0 0 0\n");
	procstat_network.read();
	assert_string_equal(procstat_fixture_series(),
			    "Network Received [lo] (S) 3 MB\nNetwork Sent [lo] (S) 0 MB\n"
			    "Network Received [eth0] (S) 0.5 MB\nNetwork Sent [eth0] (S) 3 MB\n");
	procstat_fixture_end();
}

static void test_lines_that_are_none(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	put_dev("no colon\nx: y\nshort: 1 2 3\n"
		"a_name_that_no_interface_can_have_in_linux: 1 1 0 0 0 0 0 0 1 1\n");
	assert_true(procstat_network.open(&why));
	procstat_network.read();
	assert_string_equal(procstat_fixture_series(), "");
	procstat_fixture_end();
}

/* More than there is room for: the first ones. */
static void test_interfaces_are_bounded(void **state)
{
	char text[8192] = HEADINGS;
	const char *why;

	(void)state;
	procstat_fixture_begin();
	for (int i = 0; i < 100; i++)
		sprintf(text + strlen(text), "if%d: 1 1 0 0 0 0 0 0 1 1\n", i);
	procstat_fixture_write("proc/self/net/dev", text);
	assert_true(procstat_network.open(&why));
	procstat_network.read();
	assert_non_null(strstr(procstat_fixture_series(), "[if63]"));
	assert_null(strstr(procstat_fixture_series(), "[if64]"));
	procstat_fixture_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interfaces_that_come_later),
		cmocka_unit_test(test_lines_that_are_none),
		cmocka_unit_test(test_interfaces_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
