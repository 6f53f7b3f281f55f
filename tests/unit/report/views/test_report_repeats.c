/* Repeated runs: means of a region's time, and how sure they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/recording/recording_open.h"
#include "report/report_fixture.h"

/* Three runs, in which work takes 40, 20 and 60 us. */
static void begin_runs(struct report_fixture *fixture)
{
	const struct run *run;

	report_fixture_begin_workers(fixture, false);
	run = fixture->loaded->run;
	for (size_t i = 0; i < run->recording_count; i++) {
		free(run->recordings[i]->path);
		assert_true(asprintf(&run->recordings[i]->path, "/runs/%zu/a.kymo", i) > 0);
	}
}

static void test_means_and_intervals(void **state)
{
	struct report_fixture fixture;

	(void)state;
	begin_runs(&fixture);
	ASSERT_VIEW(
		&fixture, report_repeats,
		"self_mean,self_deviation,self_low,self_high,total_mean,total_deviation,region,"
		"total_low,total_high,runs,place\n"
		"4e-05,2e-05,0,8.9682754235e-05,4e-05,2e-05,work,0,8.9682754235e-05,3,work.py:5\n"
		"6e-05,2e-05,1.0317245765e-05,0.000109682754235,6e-05,2e-05,[outside any recorded "
		"region],1.0317245765e-05,0.000109682754235,3,\n");
	ASSERT_TEXT(&fixture, report_repeats,
		    "   SELF  DEVIATION  95 % FROM       TO    TOTAL  DEVIATION  REGION\n"
		    "40.0 us    20.0 us        0 s  89.7 us  40.0 us    20.0 us  work  work.py:5\n"
		    "60.0 us    20.0 us    10.3 us   110 us  60.0 us    20.0 us  [outside any "
		    "recorded region]\n"
		    "times are means of 3 runs\n");
	report_fixture_release(&fixture);
}

static void test_filter(void **state)
{
	struct report_fixture fixture;

	(void)state;
	begin_runs(&fixture);
	fixture.report.options.filter = "none";
	ASSERT_TEXT(&fixture, report_repeats,
		    "SELF  DEVIATION  95 % FROM  TO  TOTAL  DEVIATION  REGION\n"
		    "(no region matches the filter 'none')\n"
		    "times are means of 3 runs\n");
	report_fixture_release(&fixture);
}

static void test_one_run(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_workers(&fixture, false);
	assert_string_equal(report_fixture_refuse(&fixture, report_repeats, NULL, NULL, KYMO_USAGE),
			    "this is one run: 'kymo merge RUN RUN... -o ALL' makes one of repeated "
			    "ones, which --repeats compares");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_means_and_intervals),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_one_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
