/* Lists of functions on standard output, in every form. */
#include "cli/instrument/instrument_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "choice_fixture.h"
#include "cli/printed_fixture.h"

struct wanted {
	const struct instrument_report *report;
	enum instrument_list list;
	const char *word;
};

static void print(void *context)
{
	const struct wanted *wanted = context;

	instrument_report_print(wanted->report, wanted->list, wanted->word);
}

static void assert_list(enum instrument_list list, const char *word, const char *expected)
{
	struct chosen_file file;
	struct wanted wanted = {&file.report, list, word};

	chosen_make(&file);
	assert_printed(printed_on(stdout, print, &wanted), expected);
	chosen_release(&file);
}

static void test_words(void **state)
{
	(void)state;
	assert_list(LIST_INSTRUMENTED, "functions", "a::solve\napp+0x1060\n");
	assert_list(LIST_INSTRUMENTED, "functions+", "a::solve(int)\napp+0x1060\n");
	assert_list(LIST_INSTRUMENTED, "pair", "[app] a::solve\n[app] app+0x1060\n");
	assert_list(LIST_INSTRUMENTED, "pair+", "[app] a::solve(int)\n[app] app+0x1060\n");
	assert_list(LIST_OVERLAPPING, "functions", "shared\n");
}

/* A file is listed once, and only where it has such functions. */
static void test_modules(void **state)
{
	struct chosen_file file;
	struct wanted wanted = {&file.report, LIST_OVERLAPPING, "modules"};

	(void)state;
	assert_list(LIST_AVAILABLE, "modules", "/opt/app\n");
	chosen_make(&file);
	file.functions[CHOSEN_OVERLAPS].reason = PLAN_FINE;
	assert_printed(printed_on(stdout, print, &wanted), "");
	chosen_release(&file);
}

static void test_names_of_files_are_cleaned(void **state)
{
	struct chosen_file file;
	struct wanted wanted = {&file.report, LIST_OVERLAPPING, "pair"};

	(void)state;
	chosen_make(&file);
	file.choice.path = (char *)"/opt/a\033[2Jb";
	assert_printed(printed_on(stdout, print, &wanted), "[a\\x1b[2Jb] shared\n");
	chosen_release(&file);
}

static void test_summary(void **state)
{
	struct chosen_file file;
	char line[128];

	(void)state;
	chosen_make(&file);
	instrument_report_summary(&file.choice, line, sizeof(line));
	assert_string_equal(line, "app: 2 of 4 functions instrumented");
	file.header.cost = PATCH_COST_FULL;
	instrument_report_summary(&file.choice, line, sizeof(line));
	assert_string_equal(line, "app: 2 of 4 functions instrumented, 1 with all exits");
	instrument_report_summary(&file.choice, line, 10); /* no byte beyond */
	assert_string_equal(line, "app: 2 of");
	chosen_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_names_of_files_are_cleaned),
		cmocka_unit_test(test_summary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
