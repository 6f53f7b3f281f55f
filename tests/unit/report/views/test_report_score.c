/* What a trace of every call would cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_fixture.h"

/* 1000 calls of 100 ns each, and one of 900 us; a call costs 50 ns to record. */
static struct synthetic *made_often(enum kymo_region_kind kind, const char *name)
{
	struct synthetic *made = report_fixture_idle();
	uint32_t often = synthetic_region(made, kind, name);

	for (uint64_t i = 0; i < 1000; i++) {
		synthetic_enter(made, 0, often, i * 100);
		synthetic_leave(made, 0, often, (i + 1) * 100);
	}
	report_fixture_visit(made, report_fixture_region(made, "rare", "/u/a.py", 1), 100, 1000);
	synthetic_header(made)->cost_enter_exit_ps = 50000;
	synthetic_close(made, 1000 * US);
	return made;
}

static void test_frequent_and_brief_calls_are_marked(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_one(&fixture, made_often(KYMO_REGION_PYTHON, "often"));
	fixture.report.options.order = ORDER_CALLS;
	ASSERT_VIEW(&fixture, report_score,
		    "filtered,calls,total,per_call,trace_cost,cost_percent,region,trace_bytes\n"
		    "'+,1000,0.0001,1e-07,5e-05,50,often,16000\n"
		    "'-,1,0.0009,0.0009,5e-08,0.00555555555556,rare,16\n");
	ASSERT_TEXT(&fixture, report_score,
		    "FLT  CALLS   TOTAL  PER CALL  TRACE COST  COST %  REGION\n"
		    "+    1,000  100 us    100 ns     50.0 us    50.0  often\n"
		    "-        1  900 us    900 us       50 ns     0.0  rare  a.py:1\n"
		    "A trace of all: 1001 calls, 0.000 s, 0.0 MB; without those marked '+': 1 "
		    "calls, 0.000 s, 0.0 MB.\n");
	report_fixture_release(&fixture);
}

static void read_whole(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");
	size_t length;

	assert_non_null(file);
	length = fread(text, 1, size - 1, file);
	text[length] = '\0';
	fclose(file);
	unlink(path);
}

/* Calls of no time at all cost more than they take; only native functions can be left out, and
 * their names are quoted. */
static void test_filter_file(void **state)
{
	char folder[] = "/tmp/kymo-score-XXXXXX", path[64], text[1024];
	struct synthetic *made = report_fixture_idle();
	uint32_t brief = synthetic_region(made, KYMO_REGION_NATIVE, "at *");
	uint32_t python = synthetic_region(made, KYMO_REGION_PYTHON, "snake");
	uint32_t rare = synthetic_region(made, KYMO_REGION_NATIVE, "rare");
	struct report_fixture fixture;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		report_fixture_visit(made, brief, i, i);
		report_fixture_visit(made, python, i, i);
	}
	report_fixture_visit(made, rare, 1000, 2000);
	synthetic_close(made, 2000 * US);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/filter", folder);
	report_fixture_begin_one(&fixture, made);
	fixture.report.options.filter_file = path;
	report_fixture_write(&fixture, report_score, NULL, NULL);
	read_whole(path, text, sizeof(text));
	rmdir(folder);
	assert_non_null(strstr(text, "\nSCOREP_REGION_NAMES_BEGIN\n"
				     "  EXCLUDE at\\ \\*\n"
				     "SCOREP_REGION_NAMES_END\n"));
	report_fixture_release(&fixture);
}

static void test_samples_have_no_calls(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	fixture.loaded->is_sampled = true;
	report_fixture_refuse(&fixture, report_score, NULL, NULL, KYMO_ERROR);
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frequent_and_brief_calls_are_marked),
		cmocka_unit_test(test_filter_file),
		cmocka_unit_test(test_samples_have_no_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
