/* The flat report of samples: shares, and how sure they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_sampled_fixture.h"
#include "report/views/report_sampled.h"

static void test_rows(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_samples(&fixture);
	ASSERT_VIEW(&fixture, report_sampled,
		    "self_percent,self_low_percent,self_high_percent,self,total,total_percent,"
		    "waited,samples,name,module,file,line\n"
		    "40,9.1095485212,81.598843659,4.096e-05,0.0001024,100,0,4,f,,/src/a.py,10\n"
		    "30,5.50823817478,75.9085461856,3.072e-05,3.072e-05,30,3.072e-05,1,futex "
		    "(kernel),,,\n"
		    "20,2.67579273139,69.4493838092,2.048e-05,2.048e-05,20,0,1,_multiarray.so+0x1,/"
		    "nowhere/_multiarray.so,,\n"
		    "10,0.748294008758,62.085274712,1.024e-05,1.024e-05,10,0,1,g,,/src/a.py,20\n");
	report_fixture_release(&fixture);
}

static void test_for_people(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_samples(&fixture);
	ASSERT_TEXT(&fixture, report_sampled,
		    "% SELF  95 % SURE     SELF    TOTAL  % TOTAL  SAMPLES  REGION\n"
		    "  40.0  9.1-81.6   41.0 us   102 us    100.0        4  f  a.py:10\n"
		    "  30.0  5.5-75.9   30.7 us  30.7 us     30.0        1  futex (kernel)\n"
		    "  20.0  2.7-69.4   20.5 us  20.5 us     20.0        1  _multiarray.so+0x1  "
		    "_multiarray.so\n"
		    "  10.0  0.7-62.1   10.2 us  10.2 us     10.0        1  g  a.py:20\n");
	fixture.report.options.top = 1;
	ASSERT_TEXT(&fixture, report_sampled,
		    "% SELF  95 % SURE     SELF   TOTAL  % TOTAL  SAMPLES  REGION\n"
		    "  40.0  9.1-81.6   41.0 us  102 us    100.0        4  f  a.py:10\n"
		    "3 more regions; --top 0 shows all\n");
	report_fixture_release(&fixture);
}

static void test_is_the_flat_report_of_samples(void **state)
{
	struct report_fixture fixture;
	char *own;

	(void)state;
	report_fixture_begin_samples(&fixture);
	own = strdup(report_fixture_write(&fixture, report_sampled, NULL, NULL));
	ASSERT_VIEW(&fixture, report_flat, own);
	free(own);
	report_fixture_release(&fixture);
}

/* A tenth of a hundred samples, and of none. */
static void test_interval(void **state)
{
	struct report report = {.effective_count = 100};
	struct report_interval interval;

	(void)state;
	report_interval(&report, 10, 100, &interval);
	assert_string_equal(interval.text, "5.5-17.4");
	assert_true(interval.share.low < 0.1 && interval.share.high > 0.1);
	report_interval(&report, 0, 0, &interval);
	assert_string_equal(interval.text, "0.0-3.7");
}

static void test_nothing_to_show(void **state)
{
	struct sampled_fixture sampled = begin();
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_sampled(&fixture, &sampled);
	fixture.report.options.filter = "nothing";
	assert_non_null(strstr(report_fixture_write_text(&fixture, report_sampled),
			       "(no region matches the filter 'nothing')\n"));
	fixture.report.options.filter = NULL;
	fixture.report.options.thread = 9;
	assert_non_null(strstr(report_fixture_write_text(&fixture, report_sampled),
			       "(no samples were taken in thread 9)\n"));
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_for_people),
		cmocka_unit_test(test_is_the_flat_report_of_samples),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_nothing_to_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
