/* What stands out, as sentences and as rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

static void test_rows(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_VIEW(&fixture, report_findings,
		    "seconds,kind,view,region,place,text\n"
		    "5e-05,own lines,butterfly,load,io.py:7,\"`load` spends 100 % of its time in "
		    "its own lines: 50.0 us, 50 % of all.\"\n"
		    "3e-05,hot path,hot-path,load,io.py:7,30 % of the time goes through one path: "
		    "`run` > `solve` > `load`.\n"
		    "3e-05,own lines,butterfly,solve,main.py:20,\"`solve` spends 50 % of its time "
		    "in its own lines: 30.0 us, 30 % of all.\"\n");
	report_fixture_release(&fixture);
}

static void test_sentences_with_what_to_type(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_TEXT(&fixture, report_findings,
		    " 1. `load` spends 100 % of its time in its own lines: 50.0 us, 50 % of all.\n"
		    "    --butterfly 'load'\n"
		    " 2. 30 % of the time goes through one path: `run` > `solve` > `load`.\n"
		    "    --hot-path\n"
		    " 3. `solve` spends 50 % of its time in its own lines: 30.0 us, 30 % of all.\n"
		    "    --butterfly 'solve'\n");
	report_fixture_release(&fixture);
}

/* A name that a shell would take for something else. */
static void test_names_are_quoted(void **state)
{
	struct synthetic *made = report_fixture_idle();
	struct report_fixture fixture;

	(void)state;
	report_fixture_visit(made, report_fixture_region(made, "it's", "/u/main.py", 3), 0, 90);
	synthetic_close(made, 100 * US);
	report_fixture_begin_one(&fixture, made);
	assert_non_null(strstr(report_fixture_write_text(&fixture, report_findings),
			       "--butterfly 'it'\\''s'\n"));
	report_fixture_release(&fixture);
}

static void test_nothing_stands_out(void **state)
{
	struct synthetic *made = report_fixture_idle();
	struct report_fixture fixture;

	(void)state;
	synthetic_close(made, 1);
	report_fixture_begin_one(&fixture, made);
	ASSERT_TEXT(&fixture, report_findings, "Nothing stands out.\n");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_sentences_with_what_to_type),
		cmocka_unit_test(test_names_are_quoted),
		cmocka_unit_test(test_nothing_stands_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
