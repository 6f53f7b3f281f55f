/* The hot path, and the sentence on where it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

static void test_to_the_last_callee(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_VIEW(&fixture, report_hot_path,
		    "total_percent,total,self,caller_percent,calls,name,place,levels\n"
		    "100,0.0001,2e-05,100,1,run,main.py:3,1\n"
		    "60,6e-05,3e-05,60,1,solve,main.py:20,1\n"
		    "30,3e-05,3e-05,50,1,load,io.py:7,1\n");
	ASSERT_TEXT(&fixture, report_hot_path,
		    "% TOTAL    TOTAL     SELF  % OF CALLER  CALLS  REGION\n"
		    "  100.0   100 us  20.0 us        100.0      1  run  main.py:3\n"
		    "   60.0  60.0 us  30.0 us         60.0      1   solve  main.py:20\n"
		    "   30.0  30.0 us  30.0 us         50.0      1    load  io.py:7\n"
		    "\n"
		    "load spends 100.0 % of its time in its own lines.\n");
	report_fixture_release(&fixture);
}

static void test_ends_where_time_spreads(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.above = 70;
	ASSERT_TEXT(&fixture, report_hot_path,
		    "% TOTAL   TOTAL     SELF  % OF CALLER  CALLS  REGION\n"
		    "  100.0  100 us  20.0 us        100.0      1  run  main.py:3\n"
		    "\n"
		    "run spreads its time over 2 callees; the largest, solve, has 60.0 % of it.\n");
	report_fixture_release(&fixture);
}

static void test_levels_of_recursion_are_one_step(void **state)
{
	struct synthetic *made = report_fixture_idle();
	uint32_t walk = report_fixture_region(made, "walk", "/u/walk.py", 1);
	struct report_fixture fixture;

	(void)state;
	for (uint64_t i = 0; i < 3; i++)
		synthetic_enter(made, 0, walk, i * US);
	for (uint64_t i = 0; i < 3; i++)
		synthetic_leave(made, 0, walk, (98 + i) * US);
	synthetic_close(made, 100 * US);
	report_fixture_begin_one(&fixture, made);
	ASSERT_TEXT(&fixture, report_hot_path,
		    "% TOTAL   TOTAL    SELF  % OF CALLER  CALLS  REGION\n"
		    "  100.0  100 us  100 us        100.0      3  walk  walk.py:1  (3 levels)\n"
		    "\n"
		    "walk spends 100.0 % of its time in its own lines.\n");
	report_fixture_release(&fixture);
}

static void test_outside_of_regions(void **state)
{
	struct synthetic *made = report_fixture_idle();
	struct report_fixture fixture;

	(void)state;
	report_fixture_visit(made, report_fixture_region(made, "run", "/u/main.py", 3), 0, 30);
	synthetic_close(made, 100 * US);
	report_fixture_begin_one(&fixture, made);
	ASSERT_TEXT(&fixture, report_hot_path,
		    "% TOTAL  TOTAL  SELF  % OF CALLER  CALLS  REGION\n"
		    "\n"
		    "The run spends 70.0 % of its time outside any recorded region.\n");
	report_fixture_release(&fixture);
}

static void test_no_calls(void **state)
{
	struct synthetic *made = report_fixture_idle();
	struct report_fixture fixture;

	(void)state;
	synthetic_close(made, 100 * US);
	report_fixture_begin_one(&fixture, made);
	ASSERT_TEXT(&fixture, report_hot_path,
		    "% TOTAL  TOTAL  SELF  % OF CALLER  CALLS  REGION\n"
		    "(no calls were recorded)\n");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_to_the_last_callee),
		cmocka_unit_test(test_ends_where_time_spreads),
		cmocka_unit_test(test_levels_of_recursion_are_one_step),
		cmocka_unit_test(test_outside_of_regions),
		cmocka_unit_test(test_no_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
