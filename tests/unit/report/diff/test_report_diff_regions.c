/* The regions that differ: which, in which order, and how sure that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_diff_fixture.h"

static void test_single_runs(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin(&fixture);
	assert_string_equal(
		report_diff_fixture_write(&fixture),
		"status,match,name,module,file,line,file_before,line_before,self_before,self_after,"
		"self_difference,self_percent,total_before,total_after,total_difference,total_"
		"percent,calls_before,calls_after,calls_difference,p\n"
		"undecided,line "
		"moved,run,,/u/app/main.py,5,/u/app/"
		"main.py,3,2e-05,6e-05,4e-05,200,0.0001,0.00015,5e-05,50,1,1,0,\n"
		"undecided,identity,load,,/u/app/io.py,7,/u/app/"
		"io.py,7,5e-05,8e-05,3e-05,60,5e-05,8e-05,3e-05,60,3,3,0,\n"
		"removed,none,solve,,,,/u/app/"
		"main.py,20,3e-05,0,-3e-05,-100,6e-05,0,-6e-05,-100,1,0,-1,\n"
		"added,none,check,,/u/app/main.py,30,,,0,1e-05,1e-05,,0,1e-05,1e-05,,0,1,1,\n");
	report_diff_fixture_release(&fixture);
}

static void test_repeated_runs_are_tested(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin_repeats(&fixture);
	assert_string_equal(
		report_diff_fixture_write_text(&fixture),
		"   DIFF     CHANGE  BEFORE    AFTER  CALLS  MORE       P  REGION\n"
		"+517 us    +93.9 %  550 us  1.07 ms      3     -   0.001  load  io.py:7\n"
		"+310 us    +93.9 %  330 us   640 us      1     -   0.001  solve  main.py:20\n"
		"+207 us    +93.9 %  220 us   427 us      1     -   0.001  run  main.py:3\n"
		"\n"
		"3 slower\n"
		"P: Welch's test of the runs, corrected for 3 regions; ~: may be chance\n");
	report_diff_fixture_release(&fixture);
}

static void test_order_and_top(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin(&fixture);
	fixture.report.options.order = DIFF_ORDER_TOTAL;
	fixture.report.options.top = 1;
	assert_string_equal(report_diff_fixture_write_text(&fixture),
			    "    DIFF     CHANGE   BEFORE  AFTER  CALLS  MORE  REGION\n"
			    "-60.0 us       gone  60.0 us      -      0    -1  solve  main.py:20\n"
			    "\n"
			    "1 gone; 3 more differ, --top 0 shows all\n");
	fixture.report.options.order = DIFF_ORDER_NAME;
	assert_non_null(strstr(report_diff_fixture_write_text(&fixture), "  check  main.py:30\n"));
	report_diff_fixture_release(&fixture);
}

static void test_filter_and_least(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin(&fixture);
	fixture.report.options.filter = "^(load|check)$";
	fixture.report.options.least = 20 * US;
	assert_string_equal(report_diff_fixture_write_text(&fixture),
			    "    DIFF     CHANGE   BEFORE    AFTER  CALLS  MORE  REGION\n"
			    "+30.0 us  ? +60.0 %  50.0 us  80.0 us      3     -  load  io.py:7\n"
			    "\n"
			    "1 undecided\n"
			    "?: undecided, since a single pair of runs does not show the spread; "
			    "compare several of each: kymo diff --base RUN... --new RUN...\n");
	fixture.report.options.least = 40 * US;
	assert_string_equal(report_diff_fixture_write_text(&fixture),
			    "(nothing selected differs)\n");
	report_diff_fixture_release(&fixture);
}

/* The rows come to the whole time: what is in no region has its row also where it is equal. */
static void test_equal_time_outside_has_a_row(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin_outside(&fixture, true);
	assert_non_null(strstr(report_diff_fixture_write(&fixture),
			       "[outside any recorded region],,,,,,4e-05,4e-05,0,"));
	report_diff_fixture_release(&fixture);
	report_diff_fixture_begin_outside(&fixture, false);
	assert_null(strstr(report_diff_fixture_write(&fixture), "outside"));
	report_diff_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single_runs),
		cmocka_unit_test(test_repeated_runs_are_tested),
		cmocka_unit_test(test_order_and_top),
		cmocka_unit_test(test_filter_and_least),
		cmocka_unit_test(test_equal_time_outside_has_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
