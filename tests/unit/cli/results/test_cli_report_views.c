/* Which view of `kymo report` is asked for, and what goes with it. */
#include "cli/results/report_views.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static size_t view_at(const char *option)
{
	for (size_t i = 0; i < report_view_count; i++)
		if (strcmp(report_views[i].option, option) == 0)
			return i;
	fail_msg("there is no view '%s'", option);
	return 0;
}

static void test_rows_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < report_view_count; i++) {
		const struct report_view *view = &report_views[i];

		assert_true(view->help[0]);
		assert_int_equal(view->argument != NULL, view->write_named != NULL);
		assert_int_equal(view->argument == NULL, view->write != NULL);
		assert_int_equal(view_at(view->option), i); /* once each */
	}
}

static void test_an_option_a_view(void **state)
{
	struct option_row rows[REPORT_VIEWS_MAX + 1];
	struct view_choice choice = {0};
	size_t count = 1, tree = view_at("tree"), callers = view_at("callers");

	(void)state;
	view_options(&choice, rows, &count);
	assert_int_equal(count, report_view_count + 1);
	assert_string_equal(rows[tree + 1].name, "tree");
	assert_int_equal(rows[tree + 1].kind, OPTION_FLAG);
	assert_ptr_equal(rows[tree + 1].target, &choice.flags[tree]);
	assert_int_equal(rows[callers + 1].kind, OPTION_TEXT);
	assert_ptr_equal(rows[callers + 1].target, &choice.names[callers]);
	assert_string_equal(rows[callers + 1].argument, "NAME");
}

static void test_without_one_the_first_rows_are_shown(void **state)
{
	struct view_choice choice = {.given = VIEW_FILTER | VIEW_SORT | VIEW_THREAD};

	(void)state;
	assert_int_equal(view_resolve(&choice, NULL), KYMO_OK);
	assert_string_equal(choice.view->option, "flat");
	assert_int_equal(choice.view->top, 25);
	choice = (struct view_choice){0};
	choice.flags[view_at("flat")] = true;
	assert_int_equal(view_resolve(&choice, NULL), KYMO_OK);
	assert_int_equal(choice.view->top, 0); /* all of them */
	assert_null(choice.name);
}

static void test_callers_and_callees_of_one_region_are_its_butterfly(void **state)
{
	struct view_choice choice = {0};
	struct problem problem;

	(void)state;
	choice.names[view_at("callers")] = choice.names[view_at("callees")] = "f";
	assert_int_equal(view_resolve(&choice, NULL), KYMO_OK);
	assert_string_equal(choice.view->option, "butterfly");
	assert_string_equal(choice.name, "f");
	choice.names[view_at("callees")] = "g";
	assert_int_equal(view_resolve(&choice, &problem), KYMO_USAGE);
	assert_memory_equal(problem.text, "choose one of --flat, --tree, --hot-path, ", 42);
	assert_non_null(strstr(problem.text, " and --series"));
	choice.names[view_at("callees")] = NULL;
	choice.flags[view_at("tree")] = true;
	assert_int_equal(view_resolve(&choice, &problem), KYMO_USAGE);
}

static void test_options_that_do_not_go_with_it(void **state)
{
	struct view_choice choice = {.given = VIEW_THREAD};
	struct problem problem;

	(void)state;
	choice.names[view_at("callers")] = "f";
	assert_int_equal(view_resolve(&choice, NULL), KYMO_OK);
	assert_string_equal(choice.name, "f");
	choice.given |= VIEW_BINS;
	assert_int_equal(view_resolve(&choice, &problem), KYMO_USAGE);
	assert_string_equal(problem.text, "--bins goes with --histogram only");
	choice.given = VIEW_GROUP;
	assert_int_equal(view_resolve(&choice, &problem), KYMO_USAGE);
	assert_string_equal(problem.text,
			    "--group goes with --ranks, --imbalance and --histogram only");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_whole),
		cmocka_unit_test(test_an_option_a_view),
		cmocka_unit_test(test_without_one_the_first_rows_are_shown),
		cmocka_unit_test(test_callers_and_callees_of_one_region_are_its_butterfly),
		cmocka_unit_test(test_options_that_do_not_go_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
