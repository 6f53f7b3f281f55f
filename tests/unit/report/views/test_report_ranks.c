/* How the time is spread over ranks, processes and threads: one row each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

static void test_ranks_and_their_spread(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_workers(&fixture, true);
	ASSERT_VIEW(&fixture, report_ranks,
		    "time,work,percent,calls,name\n"
		    "0.0001,6e-05,50,1,rank 2\n"
		    "0.0001,4e-05,33.3333333333,1,rank 0\n"
		    "0.0001,2e-05,16.6666666667,1,rank 1\n");
	ASSERT_TEXT(&fixture, report_ranks,
		    "   WORK    TIME  % OF WORK  CALLS                            WHO\n"
		    "60.0 us  100 us       50.0      1  ########################  rank 2\n"
		    "40.0 us  100 us       33.3      1  ################          rank 0\n"
		    "20.0 us  100 us       16.7      1  ########                  rank 1\n"
		    "\n"
		    "min 20.0 us (rank 1)\n"
		    "max 60.0 us (rank 2)\n"
		    "mean 40.0 us, standard deviation 20.0 us, imbalance 50.0 %\n"
		    "no call of MPI was recorded: time that ranks waited for others inside of "
		    "their calls is counted as work\n");
	report_fixture_release(&fixture);
}

static void test_of_one_region(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 2);
	fixture.report.options.region = "solve";
	fixture.report.options.top = 1;
	ASSERT_TEXT(&fixture, report_ranks,
		    "WORK    TIME  % OF TIME  CALLS                            WHO\n"
		    "   -  180 us       75.0      1  ########################  (unknown) 41\n"
		    "1 more process; --top 0 shows all\n"
		    "\n"
		    "min 60.0 us ((unknown) 40)\n"
		    "max 180 us ((unknown) 41)\n"
		    "mean 120 us, standard deviation 84.9 us, imbalance 50.0 %\n");
	report_fixture_release(&fixture);
}

static void test_unknown_region(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 2);
	fixture.report.options.region = "sole";
	assert_string_equal(report_fixture_refuse(&fixture, report_ranks, NULL, NULL, KYMO_USAGE),
			    "no region 'sole' in this run; did you mean 'solve'?");
	report_fixture_release(&fixture);
}

static void test_no_ranks(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_workers(&fixture, false);
	fixture.report.options.has_group = true;
	fixture.report.options.group = PARTS_BY_RANK;
	assert_string_equal(
		report_fixture_refuse(&fixture, report_ranks, NULL, NULL, KYMO_USAGE),
		"no process of this run is a rank of MPI; choose --group process or thread");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks_and_their_spread),
		cmocka_unit_test(test_of_one_region),
		cmocka_unit_test(test_unknown_region),
		cmocka_unit_test(test_no_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
