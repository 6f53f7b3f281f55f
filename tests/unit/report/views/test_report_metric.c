/* The table of one metric, in every form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

static void test_forms(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_NAMED(&fixture, report_metric, "trip_count",
		     "label,count,depth,metric,sum\n"
		     "|0>>> run,1,0,trip_count,1\n"
		     "|0>>> |_load,2,1,trip_count,2\n"
		     "|0>>> |_solve,1,1,trip_count,1\n"
		     "|0>>>   |_load,1,2,trip_count,1\n");
	fixture.report.options.form = REPORT_MARKDOWN;
	ASSERT_NAMED(&fixture, report_metric, "trip_count",
		     "| LABEL | COUNT | DEPTH | METRIC | SUM |\n"
		     "|:---|---:|---:|:---|---:|\n"
		     "| \\|0\\>\\>\\> run | 1 | 0 | trip\\_count | 1 |\n"
		     "| \\|0\\>\\>\\> \\|\\_load | 2 | 1 | trip\\_count | 2 |\n"
		     "| \\|0\\>\\>\\> \\|\\_solve | 1 | 1 | trip\\_count | 1 |\n"
		     "| \\|0\\>\\>\\>   \\|\\_load | 1 | 2 | trip\\_count | 1 |\n");
	fixture.report.options.form = REPORT_TEXT;
	ASSERT_NAMED(&fixture, report_metric, "trip_count",
		     "|--------------------------------------------------------|\n"
		     "|              COUNTS NUMBER OF INVOCATIONS              |\n"
		     "|--------------------------------------------------------|\n"
		     "|     LABEL      | COUNT  | DEPTH  |   METRIC   |  SUM   |\n"
		     "|----------------|--------|--------|------------|--------|\n"
		     "| |0>>> run      |      1 |      0 | trip_count |      1 |\n"
		     "| |0>>> |_load   |      2 |      1 | trip_count |      2 |\n"
		     "| |0>>> |_solve  |      1 |      1 | trip_count |      1 |\n"
		     "| |0>>>   |_load |      1 |      2 | trip_count |      1 |\n"
		     "|--------------------------------------------------------|\n");
	report_fixture_release(&fixture);
}

static void test_json(void **state)
{
	struct report_fixture fixture;
	const char *text;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.form = REPORT_JSON;
	text = report_fixture_write(&fixture, NULL, report_metric, "wall_clock");
	assert_non_null(strstr(text, "\"wall_clock\""));
	assert_non_null(strstr(text, ">>> |_solve\""));
	report_fixture_release(&fixture);
}

static void test_of_one_thread(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.thread = 7;
	ASSERT_NAMED(&fixture, report_metric, "trip_count", "label,count,depth,metric,sum\n");
	report_fixture_release(&fixture);
}

static void test_metric_that_is_not_there(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	assert_string_equal(
		report_fixture_refuse(&fixture, NULL, report_metric, "wall", KYMO_USAGE),
		"unknown metric 'wall'; the recording holds: wall_clock, trip_count");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_of_one_thread),
		cmocka_unit_test(test_metric_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
