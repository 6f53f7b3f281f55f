/* What the views have in common: facts, forms of tables, remarks and names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/views/report_text.h"
#include "base/array.h"
#include "report/report_fixture.h"

static const struct two {
	uint64_t calls;
	const char *name;
} two[] = {{1, "a"}, {2, "b"}};

static const struct table_column columns[] = {
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, TABLE_FIELD(struct two, calls)},
	{"NAME", "name", TABLE_TEXT, TABLE_ALL, TABLE_FIELD(struct two, name)},
};

static const struct table two_rows = {TABLE_COLUMNS(columns), TABLE_ROWS(two, 2)};

static enum kymo_status write_two(const struct report *report, struct problem *problem)
{
	const struct report_table tables[] = {{&two_rows, "first", ""},
					      {&two_rows, "second", "once more:"}};

	(void)problem;
	report_write_tables(report, tables, 2, false);
	report_write_remark(report, "\n%s is said of them", "this");
	return KYMO_OK;
}

static void test_two_tables_in_every_form(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_VIEW(&fixture, write_two,
		    "calls,name\n"
		    "1,a\n"
		    "2,b\n"
		    "\n"
		    "calls,name\n"
		    "1,a\n"
		    "2,b\n");
	fixture.report.options.form = REPORT_TEXT;
	fixture.report.options.width = 14;
	ASSERT_VIEW(&fixture, write_two,
		    "CALLS  NAME\n"
		    "    1  a\n"
		    "    2  b\n"
		    "\n"
		    "once more:\n"
		    "CALLS  NAME\n"
		    "    1  a\n"
		    "    2  b\n"
		    "\n"
		    "this is said\n"
		    "of them\n");
	fixture.report.options.form = REPORT_MARKDOWN;
	ASSERT_VIEW(&fixture, write_two,
		    "| CALLS | NAME |\n"
		    "|---:|:---|\n"
		    "| 1 | a |\n"
		    "| 2 | b |\n"
		    "\n"
		    "once more:\n"
		    "\n"
		    "| CALLS | NAME |\n"
		    "|---:|:---|\n"
		    "| 1 | a |\n"
		    "| 2 | b |\n");
	fixture.report.options.form = REPORT_JSON;
	ASSERT_VIEW(&fixture, write_two,
		    "{\"first\":[\n"
		    "{\"calls\":1,\"name\":\"a\"},\n"
		    "{\"calls\":2,\"name\":\"b\"}],\"second\":[\n"
		    "{\"calls\":1,\"name\":\"a\"},\n"
		    "{\"calls\":2,\"name\":\"b\"}]}\n");
	report_fixture_release(&fixture);
}

static void test_calls_are_samples_where_these_are_shown(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.loaded->is_sampled = true;
	ASSERT_VIEW(&fixture, write_two,
		    "samples,name\n"
		    "1,a\n"
		    "2,b\n"
		    "\n"
		    "samples,name\n"
		    "1,a\n"
		    "2,b\n");
	report_fixture_release(&fixture);
}

static size_t row_count, rest_count;

static enum kymo_status remark_empty(const struct report *report, struct problem *problem)
{
	(void)problem;
	report_remark_empty(report, row_count, rest_count, "region");
	return KYMO_OK;
}

/* A filter that matches nothing says nothing of what was recorded. */
static void test_why_a_table_is_empty(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.report.options.form = REPORT_TEXT;
	row_count = 2;
	rest_count = 1;
	ASSERT_VIEW(&fixture, remark_empty, "");
	rest_count = 2;
	ASSERT_VIEW(&fixture, remark_empty, "(no calls were recorded)\n");
	fixture.report.options.thread = 3;
	ASSERT_VIEW(&fixture, remark_empty, "(no calls were recorded in thread 3)\n");
	fixture.loaded->is_sampled = true;
	ASSERT_VIEW(&fixture, remark_empty, "(no samples were taken in thread 3)\n");
	fixture.report.options.filter = "^x";
	/* It matches what is no region. */
	ASSERT_VIEW(&fixture, remark_empty, "");
	row_count = rest_count = 0;
	ASSERT_VIEW(&fixture, remark_empty, "(no region matches the filter '^x')\n");
	fixture.report.options.form = REPORT_JSON;
	ASSERT_VIEW(&fixture, remark_empty, "");
	report_fixture_release(&fixture);
}

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
	fixture.facts->waiting_s = 100e-6;
	assert_string_equal(
		facts_of(&fixture),
		"  100 %      400 us of 2 threads: all in regions\n"
		"  waiting    100 us for other threads, 25.0 % of the threads' time\n"
		"  calls      10\n"
		"  times      of 3 functions are estimates, their calls are exact; --flat has the "
		"errors\n"
		"  times      10 % are in calls of less than 100 ns each and may be off by half: "
		"kymo instrument --serialize tells such calls from their callers\n"
		"  preempted  10.0 us in which others had the processor, in no time of a call\n"
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

/* Of nine entries two are no region: these are always shown. */
static void test_rows_and_the_rest(void **state)
{
	struct report report = {.options = {.top = 3}};

	(void)state;
	assert_int_equal(report_row_count(&report, 9), 3);
	assert_int_equal(report_row_count(&report, 2), 2);
	assert_int_equal(report_rows_and_rest(&report, 9, 2), 5);
	assert_int_equal(report_entry_at(&report, 9, 2, 2), 2);
	assert_int_equal(report_entry_at(&report, 9, 2, 3), 7);
	assert_int_equal(report_entry_at(&report, 9, 2, 4), 8);
	report.options.top = 0;
	assert_int_equal(report_rows_and_rest(&report, 9, 2), 9);
	assert_int_equal(report_entry_at(&report, 9, 2, 8), 8);
}

static void test_names_and_places(void **state)
{
	const struct region placed = {
		.name = "f", .file = "/u/a.py", .line = 3, .kind = KYMO_REGION_PYTHON};
	const struct region nowhere = {.name = "g", .kind = KYMO_REGION_USER};
	char text[REPORT_NAME_MAX];

	(void)state;
	assert_string_equal(report_name_cell(&placed, true, text).text, "f  a.py:3");
	assert_string_equal(report_name_cell(&placed, false, text).text, "f");
	assert_string_equal(report_name_cell(&nowhere, true, text).text, "g");
	assert_string_equal(report_place_cell(&placed, text).text, "a.py:3");
	assert_true(report_place_cell(&nowhere, text).is_missing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_tables_in_every_form),
		cmocka_unit_test(test_calls_are_samples_where_these_are_shown),
		cmocka_unit_test(test_why_a_table_is_empty),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_rows_and_the_rest),
		cmocka_unit_test(test_names_and_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
