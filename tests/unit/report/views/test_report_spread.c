/* Words and numbers on how a time is spread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/views/report_spread.h"
#include "report/report_fixture.h"

static void test_nouns(void **state)
{
	(void)state;
	assert_string_equal(spread_noun(PARTS_BY_THREAD, 1), "thread");
	assert_string_equal(spread_noun(PARTS_BY_PROCESS, 2), "processes");
	assert_string_equal(spread_noun(PARTS_BY_RANK, 0), "ranks");
	assert_string_equal(spread_noun(PARTS_BY_RUN, 1), "run");
}

static void test_bars(void **state)
{
	char text[SPREAD_BAR_MAX + 1];

	(void)state;
	assert_string_equal(spread_bar(1, 2, text), "############");
	assert_int_equal(strlen(spread_bar(2, 2, text)), SPREAD_BAR_MAX);
	/* Never longer, and nothing where nothing is largest. */
	assert_int_equal(strlen(spread_bar(5, 2, text)), SPREAD_BAR_MAX);
	assert_string_equal(spread_bar(-1, 2, text), "");
	assert_string_equal(spread_bar(1, 0, text), "");
}

static void test_group_by_default_and_as_asked_for(void **state)
{
	struct report_fixture fixture;
	struct parts *parts;
	enum parts_by by;

	(void)state;
	report_fixture_begin_workers(&fixture, true);
	assert_int_equal(parts_new(fixture.loaded, fixture.regions, &parts, &fixture.problem),
			 KYMO_OK);
	assert_int_equal(spread_group(&fixture.report, parts, &by, &fixture.problem), KYMO_OK);
	assert_int_equal(by, PARTS_BY_RANK);
	fixture.report.options.has_group = true;
	fixture.report.options.group = PARTS_BY_THREAD;
	assert_int_equal(spread_group(&fixture.report, parts, &by, &fixture.problem), KYMO_OK);
	assert_int_equal(by, PARTS_BY_THREAD);
	parts_free(parts);
	report_fixture_release(&fixture);
}

static enum kymo_status count_marks(const struct report *report, const struct parts *parts,
				    const bool *marks, struct problem *problem)
{
	unsigned int marked = 0;

	(void)parts;
	(void)problem;
	for (uint32_t i = 0; i < report->regions->count; i++)
		marked += marks[i];
	fprintf(report->out, "%u", marked);
	return KYMO_OK;
}

static enum kymo_status count_filtered(const struct report *report, struct problem *problem)
{
	return spread_show_filtered(report, count_marks, problem);
}

static void test_marks_are_of_the_filter(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.filter = "^(run|load)$";
	ASSERT_VIEW(&fixture, count_filtered, "2");
	fixture.report.options.filter = "*(";
	report_fixture_refuse(&fixture, count_filtered, NULL, NULL, KYMO_USAGE);
	report_fixture_release(&fixture);
}

/* What ranks waited for each other is work, where no call of MPI says otherwise. */
static enum kymo_status remark_work(const struct report *report, const struct parts *parts,
				    const bool *marks, struct problem *problem)
{
	(void)marks;
	(void)problem;
	spread_remark_work(report, parts, PARTS_BY_RANK);
	return KYMO_OK;
}

static enum kymo_status show_remark(const struct report *report, struct problem *problem)
{
	return spread_show_filtered(report, remark_work, problem);
}

static void test_remark_on_ranks_without_mpi(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_workers(&fixture, true);
	fixture.report.options.form = REPORT_TEXT;
	ASSERT_VIEW(&fixture, show_remark,
		    "no call of MPI was recorded: time that ranks waited for others inside of "
		    "their calls is counted as work\n");
	report_fixture_release(&fixture);
	report_fixture_begin_workers(&fixture, false);
	fixture.report.options.form = REPORT_TEXT;
	ASSERT_VIEW(&fixture, show_remark, "");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nouns),
		cmocka_unit_test(test_bars),
		cmocka_unit_test(test_group_by_default_and_as_asked_for),
		cmocka_unit_test(test_marks_are_of_the_filter),
		cmocka_unit_test(test_remark_on_ranks_without_mpi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
