/* What the views have in common: forms of tables, and remarks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/views/report_text.h"
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

static void test_rows_that_are_shown(void **state)
{
	struct report report = {.options = {.top = 3}};

	(void)state;
	assert_int_equal(report_row_count(&report, 9), 3);
	assert_int_equal(report_row_count(&report, 2), 2);
	report.options.top = 0;
	assert_int_equal(report_row_count(&report, 9), 9);
}

static void test_keys_of_orders(void **state)
{
	(void)state;
	assert_string_equal(report_order_key(ORDER_TOTAL), "total");
	assert_string_equal(report_order_key(ORDER_MEAN), "mean");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_tables_in_every_form),
		cmocka_unit_test(test_calls_are_samples_where_these_are_shown),
		cmocka_unit_test(test_why_a_table_is_empty),
		cmocka_unit_test(test_rows_that_are_shown),
		cmocka_unit_test(test_keys_of_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
