/* Numbers of a status file by their keys. */
#include "platform/proc/proc_status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "platform/proc/proc_file.h"

static const char text[] =
	"Name:\ta\nTracerPid:\t12\nUid:\t1\t22\t333\t4444\nSigCgt:\t00000001800000ff\n"
	"SigBlk:\tffffffffffffffff\nNSpid:\t70\t7\nSeccomp_filters:\t5\nSeccomp:\t2\n"
	"Empty:\t\nLast:\t7";

static void test_by_their_keys(void **state)
{
	(void)state;
	assert_int_equal(proc_status_number(text, "TracerPid", 10), 12);
	assert_int_equal(proc_status_number(text, "SigCgt", 16), 0x1800000ff);
	assert_int_equal(proc_status_number(text, "SigBlk", 16), -1);
	assert_int_equal(proc_status_number(text, "Last", 10), 7);
	assert_int_equal(proc_status_number(text, "Empty", 10), -1);
	assert_int_equal(proc_status_number(text, "Name", 10), -1);
	assert_int_equal(proc_status_number(text, "Pid", 10), -1);    /* a line ends so */
	assert_int_equal(proc_status_number(text, "Tracer", 10), -1); /* and one begins so */
	assert_int_equal(proc_status_number(text, "Seccomp", 10), 2);
	assert_int_equal(proc_status_number("", "Name", 10), -1);
}

static void test_by_columns(void **state)
{
	(void)state;
	assert_int_equal(proc_status_column(text, "Uid", 0, 10), 1);
	assert_int_equal(proc_status_column(text, "Uid", 1, 10), 22);
	assert_int_equal(proc_status_column(text, "Uid", 3, 10), 4444);
	assert_int_equal(proc_status_column(text, "Uid", 4, 10), -1);
	assert_int_equal(proc_status_column(text, "Uid", PROC_STATUS_LAST, 10), 4444);
	assert_int_equal(proc_status_column(text, "NSpid", PROC_STATUS_LAST, 10), 7);
	assert_int_equal(proc_status_column(text, "Empty", PROC_STATUS_LAST, 10), -1);
	assert_int_equal(proc_status_column(text, "Last", PROC_STATUS_LAST, 10), 7);
}

/* A file that was cut anywhere. */
static void test_cut(void **state)
{
	char part[sizeof(text)];

	(void)state;
	for (size_t size = 0; size < sizeof(text); size++) {
		memcpy(part, text, size);
		part[size] = '\0';
		assert_true(proc_status_number(part, "Last", 10) ==
			    (size == sizeof(text) - 1 ? 7 : -1));
		proc_status_column(part, "Uid", PROC_STATUS_LAST, 10);
	}
}

static void test_of_a_process(void **state)
{
	(void)state;
	assert_int_equal(proc_status_of(getpid(), 0, "Tgid", 10), getpid());
	assert_int_equal(proc_status_of(PROC_SELF, getpid(), "Pid", 10), getpid());
	assert_int_equal(proc_status_of(INT32_MAX, 0, "Pid", 10), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_their_keys),
		cmocka_unit_test(test_by_columns),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_of_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
