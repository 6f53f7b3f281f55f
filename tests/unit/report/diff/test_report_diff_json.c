/* A comparison for programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_diff_fixture.h"

/* From that key on: what is before has the names of folders. */
static const char *written(struct report_diff_fixture *fixture, const char *key)
{
	const char *from;

	fixture->report.options.form = REPORT_JSON;
	from = strstr(report_diff_fixture_write(fixture), key);
	assert_non_null(from);
	return from;
}

static void test_sides(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin(&fixture);
	assert_int_equal(strncmp(written(&fixture, "{"), "{\n\"before\":{\"paths\":[\"/tmp/", 27),
			 0);
	assert_non_null(strstr(
		fixture.text,
		"\"program\":\"(unknown)\",\"runs\":1,\"is_sampled\":false,\"duration\":0.0001,"));
	assert_non_null(strstr(fixture.text, "\n\"after\":{\"paths\":[\"/tmp/"));
	report_diff_fixture_release(&fixture);
}

static void test_difference_and_rows(void **state)
{
	struct report_diff_fixture fixture;

	(void)state;
	report_diff_fixture_begin(&fixture);
	fixture.report.options.filter = "check";
	assert_string_equal(
		written(&fixture, "\"difference\""),
		"\"difference\":{\"duration\":0.00005,\"percent\":50,\"p\":null},\"warning\":null,"
		"\"has_tests\":false,\"noise_percent\":5,\"more\":0,\n"
		"\"conditions\":[],\n"
		"\"regions\":[\n"
		"{\"status\":\"added\",\"match\":\"none\",\"name\":\"check\",\"module\":null,"
		"\"file\":\"/u/app/"
		"main.py\",\"line\":30,\"file_before\":null,\"line_before\":null,\"self_before\":0,"
		"\"self_after\":0.00001,\"self_difference\":0.00001,\"self_percent\":null,\"total_"
		"before\":0,\"total_after\":0.00001,\"total_difference\":0.00001,\"total_percent\":"
		"null,\"calls_before\":0,\"calls_after\":1,\"calls_difference\":1,\"p\":null}]}\n");
	report_diff_fixture_release(&fixture);
}

static void test_conditions(void **state)
{
	struct report_diff_fixture fixture;
	struct diff_condition condition;
	struct diff_findings *findings;
	struct problem problem;

	(void)state;
	report_diff_fixture_begin(&fixture);
	assert_int_equal(diff_condition_parse("self:load>10us", &condition, &problem), KYMO_OK);
	assert_int_equal(diff_findings_new(fixture.diff, &condition, 1, true, &findings, &problem),
			 KYMO_OK);
	fixture.report.findings = findings;
	fixture.report.options.filter = "nothing";
	assert_string_equal(
		written(&fixture, "\"conditions\""),
		"\"conditions\":[\n"
		"{\"condition\":\"self:load>10us\",\"region\":\"load\",\"before\":0.00005,"
		"\"after\":0.00008,\"difference\":0.00003,\"percent\":60,\"p\":null,\"p_"
		"corrected\":null,\"holds\":true,\"failed\":true,\"undecided\":false}],\n"
		"\"regions\":[]}\n");
	diff_findings_free(findings);
	report_diff_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sides),
		cmocka_unit_test(test_difference_and_rows),
		cmocka_unit_test(test_conditions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
