/* Regular expressions in settings: lists, matches, and what is none. */
#include "cli/options/expressions.h"

#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define ID SET_FUNCTIONS_INCLUDE

struct fixture {
	struct settings *settings;
	struct expressions expressions;
	struct problem problem;
};

static enum kymo_status read_list(struct fixture *fixture, const char *list)
{
	*fixture = (struct fixture){.settings = settings_new()};
	assert_non_null(fixture->settings);
	assert_int_equal(settings_set(fixture->settings, setting_table[ID].name, list,
				      SETTING_FROM_COMMAND, NULL),
			 KYMO_OK);
	return expressions_read(fixture->settings, ID, &fixture->expressions, &fixture->problem);
}

static void tear_down(struct fixture *fixture)
{
	expressions_release(&fixture->expressions);
	settings_free(fixture->settings);
}

static void test_any_of_a_list_matches_anywhere(void **state)
{
	struct fixture fixture;

	(void)state;
	assert_int_equal(read_list(&fixture, "^main$, fib|tri"), KYMO_OK);
	assert_int_equal(fixture.expressions.count, 2);
	assert_true(expressions_match(&fixture.expressions, "main"));
	assert_true(expressions_match(&fixture.expressions, "a_fib_b"));
	assert_false(expressions_match(&fixture.expressions, "mains"));
	assert_false(expressions_match(&fixture.expressions, ""));
	/* Read once more they are added to. */
	assert_int_equal(expressions_read(fixture.settings, ID, &fixture.expressions, NULL),
			 KYMO_OK);
	assert_int_equal(fixture.expressions.count, 4);
	tear_down(&fixture);
}

static void test_an_empty_list_matches_nothing(void **state)
{
	struct fixture fixture;

	(void)state;
	assert_int_equal(read_list(&fixture, ""), KYMO_OK);
	assert_false(expressions_match(&fixture.expressions, ""));
	tear_down(&fixture);
}

static void test_what_is_none_is_named(void **state)
{
	struct fixture fixture;

	(void)state;
	assert_int_equal(read_list(&fixture, "good,(bad"), KYMO_USAGE);
	assert_non_null(strstr(fixture.problem.text, "'(bad' is not a regular expression: "));
	assert_non_null(strstr(fixture.problem.text, setting_table[ID].name));
	assert_int_equal(fixture.expressions.count, 1); /* to be released all the same */
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_of_a_list_matches_anywhere),
		cmocka_unit_test(test_an_empty_list_matches_nothing),
		cmocka_unit_test(test_what_is_none_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
