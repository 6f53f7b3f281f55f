/* The flat report: which rows there are, in which order, and what is said of the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

static void test_every_region_is_a_row(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_VIEW(&fixture, report_flat,
		    "self_percent,self,total,calls,per_call,name,module,file,line,primitive_calls,"
		    "min,max,open\n"
		    "50,5e-05,5e-05,3,1.66666666667e-05,load,,/u/app/io.py,7,3,1e-05,3e-05,0\n"
		    "30,3e-05,6e-05,1,6e-05,solve,,/u/app/main.py,20,1,6e-05,6e-05,0\n"
		    "20,2e-05,0.0001,1,0.0001,run,,/u/app/main.py,3,1,0.0001,0.0001,0\n");
	report_fixture_release(&fixture);
}

static void test_processes_add_up(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 2);
	ASSERT_TEXT(&fixture, report_flat,
		    "% SELF     SELF   TOTAL  CALLS  PER CALL  REGION\n"
		    "  50.0   200 us  200 us      6   33.3 us  load  io.py:7\n"
		    "  30.0   120 us  240 us      2    120 us  solve  main.py:20\n"
		    "  20.0  80.0 us  400 us      2    200 us  run  main.py:3\n");
	report_fixture_release(&fixture);
}

static void test_order_and_top(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.order = ORDER_TOTAL;
	fixture.report.options.top = 1;
	ASSERT_TEXT(&fixture, report_flat,
		    "% SELF     SELF   TOTAL  CALLS  PER CALL  REGION\n"
		    "  20.0  20.0 us  100 us      1    100 us  run  main.py:3\n"
		    "2 more regions; --top 0 shows all\n");
	report_fixture_release(&fixture);
}

/* However few rows are shown; a filter chooses among all. */
static void test_time_outside_is_a_row(void **state)
{
	struct synthetic *made = report_fixture_idle();
	struct report_fixture fixture;

	(void)state;
	report_fixture_visit(made, report_fixture_region(made, "run", "/u/main.py", 3), 0, 30);
	report_fixture_visit(made, report_fixture_region(made, "tidy", "/u/main.py", 9), 30, 40);
	synthetic_close(made, 100 * US);
	report_fixture_begin_one(&fixture, made);
	fixture.report.options.top = 1;
	ASSERT_TEXT(&fixture, report_flat,
		    "% SELF     SELF    TOTAL  CALLS  PER CALL  REGION\n"
		    "  30.0  30.0 us  30.0 us      1   30.0 us  run  main.py:3\n"
		    "  60.0  60.0 us  60.0 us      -         -  [outside any recorded region]\n"
		    "1 more region; --top 0 shows all\n");
	fixture.report.options.filter = "^t|outside";
	ASSERT_TEXT(&fixture, report_flat,
		    "% SELF     SELF    TOTAL  CALLS  PER CALL  REGION\n"
		    "  10.0  10.0 us  10.0 us      1   10.0 us  tidy  main.py:9\n"
		    "  60.0  60.0 us  60.0 us      -         -  [outside any recorded region]\n");
	report_fixture_release(&fixture);
}

static void test_filter_that_is_no_expression(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.filter = "(";
	assert_non_null(strstr(report_fixture_refuse(&fixture, report_flat, NULL, NULL, KYMO_USAGE),
			       "'('"));
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_region_is_a_row),
		cmocka_unit_test(test_processes_add_up),
		cmocka_unit_test(test_order_and_top),
		cmocka_unit_test(test_time_outside_is_a_row),
		cmocka_unit_test(test_filter_that_is_no_expression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
