/* The facts at the head of a report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/array.h"
#include "report/report_facts.h"
#include "report/report_fixture.h"

static enum kymo_status write_facts(const struct report *report, struct problem *problem)
{
	(void)problem;
	report_write_facts(report);
	return KYMO_OK;
}

/* From below the date on, which is that of a time zone. */
static const char *facts_of(struct report_fixture *fixture)
{
	const char *text =
		strstr(report_fixture_write(fixture, write_facts, NULL, NULL), "  100 %");

	assert_non_null(text);
	return text;
}

static void test_facts(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 2);
	assert_string_equal(facts_of(&fixture),
			    "  100 %      400 us of 2 threads: all in regions\n"
			    "  calls      10\n"
			    "  measuring  cost was not calibrated; start-up took 0 s\n"
			    "  losses     none\n");
	assert_non_null(strstr(fixture.text, ", 2 processes, 2 threads\n"));
	fixture.facts->is_calibrated = true;
	fixture.facts->cost_s = 8e-6;
	fixture.facts->taken_out_s = 2e-6;
	fixture.facts->cost_percent = 2;
	fixture.facts->estimated_count = 3;
	fixture.facts->short_calls_s = 40e-6;
	fixture.facts->preempted_s = 10e-6;
	fixture.facts->coarse_late_s = 200e-6;
	fixture.facts->waiting_s = 100e-6;
	assert_string_equal(
		facts_of(&fixture),
		"  100 %      400 us of 2 threads: all in regions\n"
		"  waiting    100 us for other threads, 25.0 % of the threads' time\n"
		"  calls      10\n"
		"  times      of 3 functions are estimates, their calls are exact; --flat has the "
		"errors\n"
		"  times      10 % are in calls of less than 100 ns each and may be off by half: "
		"kymo instrument --serialize measures such calls correctly\n"
		"  preempted  10.0 us of pre-emption, excluded from the times of calls\n"
		"  times      the coarse clock was late for 200 us: shares may be off by 50 %; "
		"--timing full needs no such clock\n"
		"  measuring  cost 8.00 us, 2.0 % of the run (calls 8.00 us, start-up 0 s)\n"
		"             2.00 us of it taken out of the times of calls\n"
		"  losses     none\n");
	report_fixture_release(&fixture);
}

/* The first eight, in a colour that can be told from the rest. */
static void test_losses(void **state)
{
	struct report_fixture fixture;
	const char *losses;

	(void)state;
	report_fixture_begin(&fixture, 1);
	for (int i = 1; i <= 10; i++)
		assert_true(lines_add(&fixture.facts->losses, &fixture.facts->loss_count,
				      "%d is lost", i));
	fixture.report.options.has_colour = true;
	losses = strstr(facts_of(&fixture), "\033[33m");
	assert_non_null(losses);
	assert_string_equal(losses, "\033[33m  losses     1 is lost\n"
				    "             2 is lost\n"
				    "             3 is lost\n"
				    "             4 is lost\n"
				    "             5 is lost\n"
				    "             6 is lost\n"
				    "             7 is lost\n"
				    "             8 is lost\n"
				    "             and 2 more\n"
				    "\033[0m");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
