/* The lines of sources that samples met. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_sampled_fixture.h"

static void test_rows(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_samples(&fixture);
	ASSERT_VIEW(&fixture, report_lines,
		    "self_percent,self_low_percent,self_high_percent,total_percent,self,total,"
		    "python,native,kernel,waiting,samples,language,function,file,line\n"
		    "60,18.401156341,90.8904514788,60,6.144e-05,6.144e-05,4.096e-05,2.048e-05,0,0,"
		    "2,python,f,/src/a.py,10\n"
		    "30,5.50823817478,75.9085461856,40,3.072e-05,4.096e-05,0,0,0,3.072e-05,1,"
		    "python,f,/src/a.py,11\n"
		    "10,0.748294008758,62.085274712,10,1.024e-05,1.024e-05,1.024e-05,0,0,0,1,"
		    "python,g,/src/a.py,20\n"
		    "20,2.67579273139,69.4493838092,20,2.048e-05,2.048e-05,0,2.048e-05,0,0,1,"
		    "native,_multiarray.so+0x1,,\n");
	report_fixture_release(&fixture);
}

/* A line of Python has the time of what it calls, too. */
static void test_native_lines_are_a_table_of_their_own(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_samples(&fixture);
	ASSERT_TEXT(
		&fixture, report_lines,
		"% SELF  95 % SURE  % TOTAL   PYTHON   NATIVE  KERNEL    WAITS  LINE\n"
		"  60.0  18.4-90.9     60.0  41.0 us  20.5 us     0 s      0 s  a.py:10  f\n"
		"  30.0  5.5-75.9      40.0      0 s      0 s     0 s  30.7 us  a.py:11  f\n"
		"  10.0  0.7-62.1      10.0  10.2 us      0 s     0 s      0 s  a.py:20  g\n"
		"\n"
		"lines of native code:\n"
		"% SELF  95 % SURE  % TOTAL  PYTHON   NATIVE  KERNEL  WAITS  LINE\n"
		"  20.0  2.7-69.4      20.0     0 s  20.5 us     0 s    0 s  _multiarray.so+0x1\n");
	report_fixture_release(&fixture);
}

static void test_filter_and_top(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_samples(&fixture);
	fixture.report.options.filter = "^[fg]$";
	fixture.report.options.top = 1;
	ASSERT_TEXT(&fixture, report_lines,
		    "% SELF  95 % SURE  % TOTAL   PYTHON   NATIVE  KERNEL  WAITS  LINE\n"
		    "  60.0  18.4-90.9     60.0  41.0 us  20.5 us     0 s    0 s  a.py:10  f\n"
		    "2 more lines; --top 0 shows all\n");
	fixture.report.options.filter = "none";
	ASSERT_TEXT(&fixture, report_lines,
		    "% SELF  95 % SURE  % TOTAL  PYTHON  NATIVE  KERNEL  WAITS  LINE\n"
		    "(no line matches the filter 'none')\n");
	report_fixture_release(&fixture);
}

static void test_calls_have_no_lines(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_TEXT(&fixture, report_lines,
		    "% SELF  95 % SURE  % TOTAL  PYTHON  NATIVE  KERNEL  WAITS  LINE\n"
		    "(no calls were recorded)\n");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_native_lines_are_a_table_of_their_own),
		cmocka_unit_test(test_filter_and_top),
		cmocka_unit_test(test_calls_have_no_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
