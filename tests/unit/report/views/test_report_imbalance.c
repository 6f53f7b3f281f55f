/* Which regions are spread unevenly, and what that costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

/* Each waits for the one that takes 60 us: 20 us on average. */
static void test_cost_is_of_the_slowest(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_workers(&fixture, true);
	ASSERT_VIEW(
		&fixture, report_imbalance,
		"cost,imbalance_percent,mean,deviation,min,min_at,max,max_at,compared,name,place\n"
		"6e-05,50,4e-05,2e-05,2e-05,rank 1,6e-05,rank 2,work,work,work.py:5\n"
		"6e-05,33.3333333333,6e-05,2e-05,4e-05,rank 2,8e-05,rank 1,time,[outside any "
		"recorded region],\n");
	ASSERT_TEXT(&fixture, report_imbalance,
		    "   COST  UNEVEN     MEAN      MIN      MAX  AT      REGION\n"
		    "60.0 us      50  40.0 us  20.0 us  60.0 us  rank 2  work  work.py:5\n"
		    "60.0 us      33  60.0 us  40.0 us  80.0 us  rank 1  [outside any recorded "
		    "region]\n"
		    "no call of MPI was recorded: time that ranks waited for others inside of "
		    "their calls is counted as work\n");
	report_fixture_release(&fixture);
}

static void test_largest_cost_first(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 2);
	fixture.report.options.top = 2;
	ASSERT_TEXT(&fixture, report_imbalance,
		    "  COST  UNEVEN    MEAN      MIN     MAX  AT            REGION\n"
		    "200 us      50  200 us   100 us  300 us  (unknown) 41  run  main.py:3\n"
		    "120 us      50  120 us  60.0 us  180 us  (unknown) 41  solve  main.py:20\n"
		    "1 more region; --top 0 shows all\n");
	report_fixture_release(&fixture);
}

static void test_one_of_a_kind(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.filter = "load";
	ASSERT_TEXT(&fixture, report_imbalance,
		    "COST  UNEVEN     MEAN      MIN      MAX  AT        REGION\n"
		    " 0 s       0  50.0 us  50.0 us  50.0 us  thread 0  load  io.py:7\n"
		    "There is one thread only: nothing can be uneven.\n");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cost_is_of_the_slowest),
		cmocka_unit_test(test_largest_cost_first),
		cmocka_unit_test(test_one_of_a_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
