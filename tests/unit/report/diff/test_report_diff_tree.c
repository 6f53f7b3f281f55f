/* The call paths that differ, below all that calls them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_diff_fixture.h"

static void test_rows(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin(&fixture);
	fixture.report.options.is_tree = true;
	assert_string_equal(report_diff_fixture_write(&fixture),
			    "depth,status,name,place,self_before,self_after,self_difference,total_"
			    "before,total_after,total_difference,calls_before,calls_after\n"
			    "0,undecided,run,main.py:5,2e-05,6e-05,4e-05,0.0001,0.00015,5e-05,1,1\n"
			    "1,undecided,load,io.py:7,2e-05,8e-05,6e-05,2e-05,8e-05,6e-05,2,3\n"
			    "1,removed,solve,main.py:20,3e-05,0,-3e-05,6e-05,0,-6e-05,1,0\n"
			    "2,removed,load,io.py:7,3e-05,0,-3e-05,3e-05,0,-3e-05,1,0\n"
			    "1,added,check,main.py:30,0,1e-05,1e-05,0,1e-05,1e-05,0,1\n");
	report_diff_fixture_release(&fixture);
}

static void test_names_are_indented(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin(&fixture);
	fixture.report.options.is_tree = true;
	fixture.report.options.order = DIFF_ORDER_TOTAL;
	assert_string_equal(
		report_diff_fixture_write_text(&fixture),
		"    DIFF     CHANGE   BEFORE    AFTER  CALLS  MORE  REGION\n"
		"+50.0 us  ? +50.0 %   100 us   150 us      1     -  run  main.py:5 (was 3)\n"
		"+60.0 us  ?+300.0 %  20.0 us  80.0 us      3    +1    load  io.py:7\n"
		"-60.0 us       gone  60.0 us        -      0    -1    solve  main.py:20\n"
		"-30.0 us       gone  30.0 us        -      0    -1      load  io.py:7\n"
		"+10.0 us        new        -  10.0 us      1    +1    check  main.py:30\n"
		"\n"
		"1 new, 2 gone, 2 undecided\n"
		"?: undecided, since a single pair of runs does not show the spread; compare "
		"several of each: kymo diff --base RUN... --new RUN...\n");
	report_diff_fixture_release(&fixture);
}

static void test_chosen_rows_stand_below_their_callers(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin(&fixture);
	fixture.report.options.is_tree = true;
	fixture.report.options.filter = "check";
	assert_string_equal(
		report_diff_fixture_write_text(&fixture),
		"    DIFF     CHANGE   BEFORE    AFTER  CALLS  MORE  REGION\n"
		"+40.0 us  ?+200.0 %  20.0 us  60.0 us      1     -  run  main.py:5 (was 3)\n"
		"+10.0 us        new        -  10.0 us      1    +1    check  main.py:30\n"
		"\n"
		"1 new, 1 undecided\n"
		"?: undecided, since a single pair of runs does not show the spread; compare "
		"several of each: kymo diff --base RUN... --new RUN...\n");
	report_diff_fixture_release(&fixture);
}

static void test_repeats(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin_repeats(&fixture);
	fixture.report.options.is_tree = true;
	assert_string_equal(report_diff_fixture_write_text(&fixture),
			    "   DIFF     CHANGE  BEFORE   AFTER  CALLS  MORE  REGION\n"
			    "+207 us    +93.9 %  220 us  427 us      1     -  run  main.py:3\n"
			    "+310 us    +93.9 %  330 us  640 us      1     -    solve  main.py:20\n"
			    "+310 us    +93.9 %  330 us  640 us      1     -      load  io.py:7\n"
			    "+207 us    +93.9 %  220 us  427 us      2     -    load  io.py:7\n"
			    "\n"
			    "4 slower\n"
			    "paths are not tested; below 5.0 % may be chance (~)\n");
	report_diff_fixture_release(&fixture);
}

/* The rows come to the whole time: what is in no region has its row also where it is equal. */
static void test_equal_time_outside_has_a_row(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin_outside(&fixture, true);
	fixture.report.options.is_tree = true;
	assert_non_null(strstr(report_diff_fixture_write(&fixture),
			       "[outside any recorded region],,4e-05,4e-05,0,"));
	report_diff_fixture_release(&fixture);
	report_diff_fixture_begin_outside(&fixture, false);
	fixture.report.options.is_tree = true;
	assert_null(strstr(report_diff_fixture_write(&fixture), "outside"));
	report_diff_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_names_are_indented),
		cmocka_unit_test(test_chosen_rows_stand_below_their_callers),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_equal_time_outside_has_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
