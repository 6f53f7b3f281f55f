/* How many have how much time in a region. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

static void test_bins(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_workers(&fixture, true);
	fixture.report.options.bins = 2;
	ASSERT_NAMED(&fixture, report_histogram, "work",
		     "from,to,count\n"
		     "2e-05,4e-05,1\n"
		     "4e-05,6e-05,2\n");
	fixture.report.options.form = REPORT_TEXT;
	ASSERT_NAMED(&fixture, report_histogram, "work",
		     "   FROM       TO                            COUNT\n"
		     "20.0 us  40.0 us  ############                  1\n"
		     "40.0 us  60.0 us  ########################      2\n"
		     "\n"
		     "3 ranks\n"
		     "\n"
		     "min 20.0 us (rank 1)\n"
		     "max 60.0 us (rank 2)\n"
		     "mean 40.0 us, standard deviation 20.0 us, imbalance 50.0 %\n");
	report_fixture_release(&fixture);
}

static void test_as_many_bins_as_suit(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_workers(&fixture, false);
	fixture.report.options.form = REPORT_TEXT;
	ASSERT_NAMED(&fixture, report_histogram, "work",
		     "   FROM       TO                            COUNT\n"
		     "20.0 us  33.3 us  ########################      1\n"
		     "33.3 us  46.7 us  ########################      1\n"
		     "46.7 us  60.0 us  ########################      1\n"
		     "\n"
		     "3 processes\n"
		     "\n"
		     "min 20.0 us (worker 41)\n"
		     "max 60.0 us (worker 42)\n"
		     "mean 40.0 us, standard deviation 20.0 us, imbalance 50.0 %\n");
	report_fixture_release(&fixture);
}

static void test_all_alike(void **state)
{
	struct synthetic *made[2] = {report_fixture_worker(30, NULL),
				     report_fixture_worker(30, NULL)};
	struct report_fixture fixture;

	(void)state;
	report_fixture_open(&fixture, made, 2, false);
	fixture.report.options.form = REPORT_TEXT;
	ASSERT_NAMED(&fixture, report_histogram, "work",
		     "   FROM       TO                            COUNT\n"
		     "30.0 us  30.0 us  ########################      2\n"
		     "\n"
		     "2 processes\n"
		     "\n"
		     "min 30.0 us (worker 40)\n"
		     "max 30.0 us (worker 40)\n"
		     "mean 30.0 us, standard deviation 0 s, imbalance 0.0 %\n");
	report_fixture_release(&fixture);
}

static void test_unknown_region(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	report_fixture_refuse(&fixture, NULL, report_histogram, "none", KYMO_USAGE);
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins),
		cmocka_unit_test(test_as_many_bins_as_suit),
		cmocka_unit_test(test_all_alike),
		cmocka_unit_test(test_unknown_region),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
