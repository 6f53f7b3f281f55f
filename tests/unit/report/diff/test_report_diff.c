/* A comparison: its words, and what is said around the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_diff_fixture.h"
#include "report/diff/report_diff_text.h"

static void test_measures_of_orders(void **state)
{
	const struct diff_value value = {.self_ns = 10, .total_ns = 40, .count = 4};
	const struct diff_value never = {.total_ns = 40};

	(void)state;
	assert_int_equal(diff_order_measure(DIFF_ORDER_TOTAL), DIFF_TOTAL);
	assert_int_equal(diff_order_measure(DIFF_ORDER_MEAN), DIFF_MEAN);
	assert_int_equal(diff_order_measure(DIFF_ORDER_NAME), DIFF_SELF);
	assert_true(diff_value_of(&value, DIFF_SELF) == 10);
	assert_true(diff_value_of(&value, DIFF_TOTAL) == 40);
	assert_true(diff_value_of(&value, DIFF_COUNT) == 4);
	assert_true(diff_value_of(&value, DIFF_MEAN) == 10);
	assert_true(diff_value_of(&never, DIFF_MEAN) == 0);
}

static void test_least_that_is_shown(void **state)
{
	struct diff_report report = {.options = {.least = 5, .least_is_percent = true}};

	(void)state;
	assert_true(diff_is_shown(&report, 100, 105));
	assert_true(diff_is_shown(&report, 100, 95));
	assert_false(diff_is_shown(&report, 100, 104));
	report.options.least_is_percent = false;
	assert_true(diff_is_shown(&report, 1000, 1005));
	assert_false(diff_is_shown(&report, 1000, 1004));
}

static void assert_change(double before, double after, enum diff_verdict verdict,
			  const char *expected)
{
	const struct diff_value value[DIFF_SIDES] = {{.self_ns = before}, {.self_ns = after}};
	char text[DIFF_CHANGE_MAX];

	diff_change_text(value, DIFF_SELF, verdict, text);
	assert_string_equal(text, expected);
}

static void test_changes(void **state)
{
	(void)state;
	assert_change(100, 145, DIFF_SLOWER, "  +45.0 %");
	assert_change(100, 98, DIFF_SAME, "~  -2.0 %");
	assert_change(100, 100, DIFF_SAME, "    0.0 %");
	assert_change(100, 60, DIFF_UNDECIDED, "? -40.0 %");
	assert_change(0, 60, DIFF_ADDED, "      new");
	assert_change(60, 0, DIFF_REMOVED, "     gone");
	assert_change(0, 60, DIFF_SLOWER, "   from 0");
	assert_change(1, 1e6, DIFF_SLOWER, "+1.0e+08 %");
}

static void test_tones(void **state)
{
	(void)state;
	assert_int_equal(diff_tone(DIFF_SLOWER, 1, 2), TABLE_BAD);
	assert_int_equal(diff_tone(DIFF_REMOVED, 2, 0), TABLE_GOOD);
	assert_int_equal(diff_tone(DIFF_UNDECIDED, 1, 2), TABLE_NEUTRAL);
	assert_int_equal(diff_tone(DIFF_ADDED, 0, 0), TABLE_NEUTRAL);
}

static void test_names_say_where_a_region_was(void **state)
{
	const struct region before = {
		.name = "f", .file = "/a/x.py", .line = 3, .kind = KYMO_REGION_PYTHON};
	const struct region moved = {
		.name = "f", .file = "/b/x.py", .line = 9, .kind = KYMO_REGION_PYTHON};
	const struct region away = {
		.name = "f", .file = "/b/y.py", .line = 9, .kind = KYMO_REGION_PYTHON};
	struct diff_region region = {.region = {&before, &moved}, .match = DIFF_BY_NAME};
	char text[64];

	(void)state;
	diff_region_text(&region, text, sizeof(text));
	assert_string_equal(text, "f  x.py:9 (was 3)");
	region.region[DIFF_AFTER] = &away;
	diff_region_text(&region, text, sizeof(text));
	assert_string_equal(text, "f  y.py:9 (was x.py:3)");
	region.match = DIFF_BY_KIND;
	diff_region_text(&region, text, sizeof(text));
	assert_string_equal(text, "f  y.py:9 (other object)");
}

static void test_one_pair_of_runs_decides_nothing(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin(&fixture);
	assert_string_equal(
		report_diff_fixture_write_text(&fixture),
		"    DIFF     CHANGE   BEFORE    AFTER  CALLS  MORE  REGION\n"
		"+40.0 us  ?+200.0 %  20.0 us  60.0 us      1     -  run  main.py:5 (was 3)\n"
		"+30.0 us  ? +60.0 %  50.0 us  80.0 us      3     -  load  io.py:7\n"
		"-30.0 us       gone  30.0 us        -      0    -1  solve  main.py:20\n"
		"+10.0 us        new        -  10.0 us      1    +1  check  main.py:30\n"
		"\n"
		"1 new, 1 gone, 2 undecided\n"
		"?: undecided, since a single pair of runs does not show the spread; compare "
		"several of each: kymo diff --base RUN... --new RUN...\n");
	assert_non_null(strstr(fixture.text, "\n  difference +50.0 us, undecided (+50.0 %)\n"));
	fixture.report.options.filter = "nothing";
	assert_string_equal(report_diff_fixture_write_text(&fixture),
			    "(no region matches the filter 'nothing')\n");
	report_diff_fixture_release(&fixture);
}

static void test_conditions(void **state)
{
	struct report_diff_fixture fixture;
	struct diff_condition conditions[2];
	struct diff_findings *findings;
	struct problem problem;

	(void)state;
	report_diff_fixture_begin_repeats(&fixture);
	assert_int_equal(diff_condition_parse("total:run>5%", &conditions[0], &problem), KYMO_OK);
	assert_int_equal(diff_condition_parse("calls:load>0", &conditions[1], &problem), KYMO_OK);
	assert_int_equal(diff_findings_new(fixture.diff, conditions, 2, false, &findings, &problem),
			 KYMO_OK);
	fixture.report.findings = findings;
	fixture.report.options.filter = "nothing";
	assert_string_equal(report_diff_fixture_write_text(&fixture),
			    "(no region matches the filter 'nothing')\n"
			    "\n"
			    "failed total:run>5%: the run 2.13 ms, before 1.10 ms, +93.9 %, p = "
			    "0.001, 0.002 among all conditions\n"
			    "passed calls:load>0: load 3, before 3, +0.0 %, p = 1.000\n");
	diff_findings_free(findings);
	report_diff_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_measures_of_orders),
		cmocka_unit_test(test_least_that_is_shown),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_tones),
		cmocka_unit_test(test_names_say_where_a_region_was),
		cmocka_unit_test(test_one_pair_of_runs_decides_nothing),
		cmocka_unit_test(test_conditions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
