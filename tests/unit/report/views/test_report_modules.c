/* One row a module: its own time, and with all that it called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

static void test_files_are_modules(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_VIEW(&fixture, report_modules,
		    "self_percent,self,total,total_percent,calls,functions,module\n"
		    "50,5e-05,5e-05,50,3,1,io\n"
		    "50,5e-05,0.0001,100,2,2,main\n");
	report_fixture_release(&fixture);
}

static void test_order_and_top(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 2);
	fixture.report.options.order = ORDER_TOTAL;
	fixture.report.options.top = 1;
	ASSERT_TEXT(&fixture, report_modules,
		    "% SELF    SELF   TOTAL  % TOTAL  CALLS  FUNCTIONS  MODULE\n"
		    "  50.0  200 us  400 us    100.0      4          2  main\n"
		    "1 more module; --top 0 shows all\n");
	fixture.report.options.order = ORDER_CALLS;
	ASSERT_TEXT(&fixture, report_modules,
		    "% SELF    SELF   TOTAL  % TOTAL  CALLS  FUNCTIONS  MODULE\n"
		    "  50.0  200 us  200 us     50.0      6          1  io\n"
		    "1 more module; --top 0 shows all\n");
	report_fixture_release(&fixture);
}

static void test_filter_is_of_modules(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.filter = "^io$";
	ASSERT_TEXT(&fixture, report_modules,
		    "% SELF     SELF    TOTAL  % TOTAL  CALLS  FUNCTIONS  MODULE\n"
		    "  50.0  50.0 us  50.0 us     50.0      3          1  io\n");
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
	ASSERT_TEXT(&fixture, report_modules,
		    "% SELF     SELF    TOTAL  % TOTAL  CALLS  FUNCTIONS  MODULE\n"
		    "  30.0  30.0 us  30.0 us     30.0      1          1  main\n"
		    "  70.0  70.0 us  70.0 us     70.0      -          -  [outside any recorded "
		    "region]\n");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_are_modules),
		cmocka_unit_test(test_order_and_top),
		cmocka_unit_test(test_filter_is_of_modules),
		cmocka_unit_test(test_time_outside_is_the_last_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
