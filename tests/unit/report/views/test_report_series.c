/* Numbers over time: one row a series, and the line on the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_machine.h"
#include "report/report_fixture.h"

static struct synthetic *made_series(void)
{
	struct synthetic *made = report_fixture_run(1);
	uint32_t use = synthetic_series(made, "CPU Use (S)", "%", KYMO_NO_THREAD);
	uint32_t peak = synthetic_series(made, "CPU Peak Memory (S)", "MB", KYMO_NO_THREAD);
	uint32_t own = synthetic_series(made, "Thread Faults", "", 0);

	synthetic_series(made, "Nothing", "W", KYMO_NO_THREAD);
	synthetic_point(made, use, 10 * US, 50);
	synthetic_point(made, use, 20 * US, 100);
	synthetic_point(made, peak, 20 * US, 12.5);
	synthetic_point(made, own, 20 * US, 7);
	return made;
}

static void test_a_row_a_series_with_points(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_one(&fixture, made_series());
	ASSERT_VIEW(&fixture, report_series,
		    "pid,thread,points,min,mean,max,last,unit,name\n"
		    "40,,2,50,94.4444444444,100,100,%,CPU Use (S)\n"
		    "40,,1,12.5,12.5,12.5,12.5,MB,CPU Peak Memory (S)\n"
		    "40,0,1,7,7,7,7,,Thread Faults\n");
	report_fixture_release(&fixture);
}

static void test_of_a_thread_and_a_name(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_one(&fixture, made_series());
	fixture.report.options.filter = "^CPU U";
	ASSERT_VIEW(&fixture, report_series,
		    "pid,thread,points,min,mean,max,last,unit,name\n"
		    "40,,2,50,94.4444444444,100,100,%,CPU Use (S)\n");
	fixture.report.options.filter = NULL;
	fixture.report.options.thread = 0;
	ASSERT_VIEW(&fixture, report_series,
		    "pid,thread,points,min,mean,max,last,unit,name\n"
		    "40,0,1,7,7,7,7,,Thread Faults\n");
	report_fixture_release(&fixture);
}

static void test_none(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_TEXT(&fixture, report_series,
		    "PID  THREAD  POINTS  MIN  MEAN  MAX  LAST  UNIT  SERIES\n"
		    "No numbers over time were recorded; 'kymo run --host' records those of the "
		    "machine and the process\n");
	fixture.report.options.filter = "[";
	assert_non_null(
		strstr(report_fixture_refuse(&fixture, report_series, NULL, NULL, KYMO_USAGE),
		       "'[' is not a regular expression"));
	report_fixture_release(&fixture);
}

static void test_line_on_the_machine(void **state)
{
	struct synthetic *made = made_series();
	struct report_fixture fixture;
	char line[128], cut[8];

	(void)state;
	synthetic_note(made, KYMO_NOTE_INFO, "procstat", "cost 1 ms, of 3 readings");
	report_fixture_begin_one(&fixture, made);
	assert_true(report_machine(&fixture.report, line, sizeof(line)));
	assert_string_equal(line, "cores 94 % busy (at most 100 %), peak memory 12.5 MB, cost 1 "
				  "ms, 'kymo report --series'");
	assert_true(report_machine(&fixture.report, cut, sizeof(cut)));
	assert_string_equal(cut, "cores 9");
	report_fixture_release(&fixture);
	report_fixture_begin(&fixture, 1);
	assert_false(report_machine(&fixture.report, line, sizeof(line)));
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_row_a_series_with_points),
		cmocka_unit_test(test_of_a_thread_and_a_name),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_line_on_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
