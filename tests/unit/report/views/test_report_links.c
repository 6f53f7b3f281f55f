/* Who calls a region and whom it calls: one row a pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

static void test_callers(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 2);
	ASSERT_NAMED(&fixture, report_callers, "load",
		     "total,self,calls,caller,callee,caller_place,callee_place\n"
		     "0.00012,0.00012,2,solve,load,main.py:20,io.py:7\n"
		     "8e-05,8e-05,4,run,load,main.py:3,io.py:7\n");
	fixture.report.options.top = 1;
	ASSERT_NAMED(&fixture, report_callers, "load",
		     "total,self,calls,caller,callee,caller_place,callee_place\n"
		     "0.00012,0.00012,2,solve,load,main.py:20,io.py:7\n");
	report_fixture_release(&fixture);
}

static void test_callees(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.form = REPORT_TEXT;
	ASSERT_NAMED(&fixture, report_callees, "run",
		     "  TOTAL     SELF  CALLS  CALLER          CALLEE\n"
		     "60.0 us  30.0 us      1  run  main.py:3  solve  main.py:20\n"
		     "20.0 us  20.0 us      2  run  main.py:3  load  io.py:7\n");
	ASSERT_NAMED(&fixture, report_callees, "load",
		     "TOTAL  SELF  CALLS  CALLER  CALLEE\n"
		     "(it calls nothing that was recorded)\n");
	report_fixture_release(&fixture);
}

static void test_outermost_has_no_caller(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_NAMED(&fixture, report_callers, "run",
		     "total,self,calls,caller,callee,caller_place,callee_place\n"
		     "0.0001,2e-05,1,,run,,main.py:3\n");
	report_fixture_release(&fixture);
}

static void test_unknown_name(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	assert_string_equal(
		report_fixture_refuse(&fixture, NULL, report_callers, "lad", KYMO_USAGE),
		"no region 'lad' in this run; did you mean 'load'?");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_callees),
		cmocka_unit_test(test_outermost_has_no_caller),
		cmocka_unit_test(test_unknown_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
