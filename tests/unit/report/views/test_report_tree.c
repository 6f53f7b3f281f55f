/* The tree of call paths: depths, order, and what is left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

static void test_rows_are_depth_first(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.order = ORDER_TOTAL;
	ASSERT_VIEW(&fixture, report_tree,
		    "total_percent,total,self,calls,name,depth,place\n"
		    "100,0.0001,2e-05,1,run,0,main.py:3\n"
		    "60,6e-05,3e-05,1,solve,1,main.py:20\n"
		    "30,3e-05,3e-05,1,load,2,io.py:7\n"
		    "20,2e-05,2e-05,2,load,1,io.py:7\n");
	report_fixture_release(&fixture);
}

static void test_names_are_indented(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.order = ORDER_NAME;
	ASSERT_TEXT(&fixture, report_tree,
		    "% TOTAL    TOTAL     SELF  CALLS  REGION\n"
		    "  100.0   100 us  20.0 us      1  run  main.py:3\n"
		    "   20.0  20.0 us  20.0 us      2    load  io.py:7\n"
		    "   60.0  60.0 us  30.0 us      1    solve  main.py:20\n"
		    "   30.0  30.0 us  30.0 us      1      load  io.py:7\n");
	report_fixture_release(&fixture);
}

static void test_chosen_rows_stand_below_their_callers(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.order = ORDER_TOTAL;
	fixture.report.options.top = 2;
	ASSERT_TEXT(&fixture, report_tree,
		    "% TOTAL    TOTAL     SELF  CALLS  REGION\n"
		    "  100.0   100 us  20.0 us      1  run  main.py:3\n"
		    "   60.0  60.0 us  30.0 us      1    solve  main.py:20\n"
		    "2 more call paths; --top 0 shows all\n");
	fixture.report.options.top = 0;
	fixture.report.options.filter = "solve";
	ASSERT_TEXT(&fixture, report_tree,
		    "% TOTAL    TOTAL     SELF  CALLS  REGION\n"
		    "  100.0   100 us  20.0 us      1  run  main.py:3\n"
		    "   60.0  60.0 us  30.0 us      1    solve  main.py:20\n");
	report_fixture_release(&fixture);
}

static void test_time_outside_is_the_last_row(void **state)
{
	struct synthetic *made = report_fixture_idle();
	struct report_fixture fixture;

	(void)state;
	report_fixture_visit(made, report_fixture_region(made, "run", "/u/main.py", 3), 0, 30);
	synthetic_close(made, 100 * US);
	report_fixture_begin_one(&fixture, made);
	fixture.report.options.order = ORDER_TOTAL;
	ASSERT_TEXT(&fixture, report_tree,
		    "% TOTAL    TOTAL     SELF  CALLS  REGION\n"
		    "   30.0  30.0 us  30.0 us      1  run  main.py:3\n"
		    "   70.0  70.0 us  70.0 us      -  [outside any recorded region]\n");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_depth_first),
		cmocka_unit_test(test_names_are_indented),
		cmocka_unit_test(test_chosen_rows_stand_below_their_callers),
		cmocka_unit_test(test_time_outside_is_the_last_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
