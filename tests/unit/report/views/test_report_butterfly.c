/* A region between those that call it and those that it calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

static void test_callers_stand_above_callees_below(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_NAMED(&fixture, report_butterfly, "solve",
		     "percent,total,self,calls,name,role,place,of,of_place\n"
		     "100,6e-05,3e-05,1,run,caller,main.py:3,solve,main.py:20\n"
		     "100,6e-05,3e-05,1,solve,region,main.py:20,solve,main.py:20\n"
		     "50,3e-05,3e-05,1,load,callee,io.py:7,solve,main.py:20\n");
	fixture.report.options.form = REPORT_TEXT;
	ASSERT_NAMED(&fixture, report_butterfly, "run",
		     "% OF IT    TOTAL     SELF  CALLS  REGION\n"
		     "  100.0   100 us  20.0 us      1  <- (outermost)\n"
		     "  100.0   100 us  20.0 us      1  run  main.py:3\n"
		     "   60.0  60.0 us  30.0 us      1  -> solve  main.py:20\n"
		     "   20.0  20.0 us  20.0 us      2  -> load  io.py:7\n");
	report_fixture_release(&fixture);
}

/* The largest next to the region. */
static void test_top_of_each_role(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.form = REPORT_TEXT;
	fixture.report.options.top = 1;
	ASSERT_NAMED(&fixture, report_butterfly, "load",
		     "% OF IT    TOTAL     SELF  CALLS  REGION\n"
		     "   60.0  30.0 us  30.0 us      1  <- solve  main.py:20\n"
		     "  100.0  50.0 us  50.0 us      3  load  io.py:7\n"
		     "1 more caller and callees; --top 0 shows all\n");
	ASSERT_NAMED(&fixture, report_butterfly, "run",
		     "% OF IT    TOTAL     SELF  CALLS  REGION\n"
		     "  100.0   100 us  20.0 us      1  <- (outermost)\n"
		     "  100.0   100 us  20.0 us      1  run  main.py:3\n"
		     "   60.0  60.0 us  30.0 us      1  -> solve  main.py:20\n"
		     "1 more caller and callees; --top 0 shows all\n");
	report_fixture_release(&fixture);
}

/* fib calls itself twice, 80 us of its 100. */
static void test_recursion_counts_once(void **state)
{
	struct synthetic *made = report_fixture_idle();
	uint32_t fib = report_fixture_region(made, "fib", "/u/fib.py", 1);
	struct report_fixture fixture;

	(void)state;
	synthetic_enter(made, 0, fib, 0);
	report_fixture_visit(made, fib, 10, 50);
	report_fixture_visit(made, fib, 50, 90);
	synthetic_leave(made, 0, fib, 100 * US);
	synthetic_close(made, 100 * US);
	report_fixture_begin_one(&fixture, made);
	fixture.report.options.form = REPORT_TEXT;
	ASSERT_NAMED(&fixture, report_butterfly, "fib",
		     "% OF IT    TOTAL     SELF  CALLS  REGION\n"
		     "   80.0  80.0 us  80.0 us      2  <- fib  fib.py:1\n"
		     "  100.0   100 us  20.0 us      1  <- (outermost)\n"
		     "  100.0   100 us   100 us      3  fib  fib.py:1\n"
		     "   80.0  80.0 us  80.0 us      2  -> fib  fib.py:1\n");
	report_fixture_release(&fixture);
}

static void test_unknown_name(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	report_fixture_refuse(&fixture, NULL, report_butterfly, "none", KYMO_USAGE);
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callers_stand_above_callees_below),
		cmocka_unit_test(test_top_of_each_role),
		cmocka_unit_test(test_recursion_counts_once),
		cmocka_unit_test(test_unknown_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
