/* The help of commands that share the vocabulary: topics, and what is in all of it. */
#include "cli/options/vocabulary_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/printed_fixture.h"

#define OWN_ROW(letter, letters, name, kind, action, effect, argument, help, why)                  \
	{                                                                                          \
		{letter, name, OPTION_##kind, NULL, argument, help}, letters, ACTION_##action,     \
			effect, GROUP_GENERAL, why, 0                                              \
	}
static const struct vocabulary_row own_rows[] = {
	OWN_ROW('T', NULL, "own", ONE, SET, "TRACE", "N", "Its own", NULL),
	OWN_ROW(0, "MI", "two", ONE_OF, OWN, "", "a|b", "Two letters", NULL),
	OWN_ROW(0, NULL, "noted", FLAG, NOTED, "", "", "", "why"),
};
static const struct vocabulary_dialect dialect = {own_rows, 3, "mine", "options of mine"};

struct asked { /* --help=TOPIC, and how it ended */
	struct vocabulary_about about;
	const char *topic;
	enum kymo_status status;
	struct problem problem;
};

static void print_help(void *context)
{
	struct asked *asked = context;

	asked->status = vocabulary_help(&asked->about, asked->topic, &asked->problem);
}

/* The caller frees. */
static char *help_on(const char *topic, const struct vocabulary_dialect *own, struct asked *asked)
{
	*asked = (struct asked){.about = {"kymo x", "[options]", "Tries help.", own},
				.topic = topic};
	return printed_on(stdout, print_help, asked);
}

static void test_without_a_topic_all_groups_are_shown(void **state)
{
	struct asked asked;
	char *text = help_on("", NULL, &asked);

	(void)state;
	assert_int_equal(asked.status, KYMO_OK);
	assert_memory_equal(text, "usage: kymo x [options]\n\nTries help.\n", 37);
	assert_non_null(strstr(text, "\ngeneral options:\n"));
	assert_non_null(strstr(text, "\nsampling:\n"));
	assert_non_null(strstr(text, "KYMO_TRACE=ON\n")); /* what -T sets */
	assert_non_null(strstr(text, "'kymo x --help=TOPIC' shows one topic: general "));
	assert_null(strstr(text, "every setting, as an option"));
	free(text);
}

static void test_a_command_with_own_options_shows_these(void **state)
{
	struct asked asked;
	char *text = help_on("", &dialect, &asked);

	(void)state;
	assert_non_null(strstr(text, "\noptions of mine:\n  -T, --own N "));
	assert_non_null(strstr(text, "KYMO_TRACE\n"));
	assert_non_null(strstr(text, "  -MI, --two [a|b]      Two letters\n"));
	assert_null(strstr(text, "\ngeneral options:\n"));
	assert_non_null(strstr(text, "shows one topic: mine general "));
	free(text);
}

/* A letter that the command has itself is not shown at another option. */
static void test_one_topic(void **state)
{
	struct asked asked;
	char *text = help_on("mine", &dialect, &asked);

	(void)state;
	assert_int_equal(asked.status, KYMO_OK);
	assert_memory_equal(text, "\noptions of mine:\n", 18);
	assert_null(strstr(text, "usage"));
	free(text);
	text = help_on("general", NULL, &asked);
	assert_memory_equal(text, "\ngeneral options:\n", 18);
	assert_non_null(strstr(text, "  -T, --trace "));
	assert_null(strstr(text, "\nsampling:\n"));
	free(text);
	text = help_on("general", &dialect, &asked);
	assert_non_null(strstr(text, "      --trace "));
	free(text);
}

static void test_all_has_settings_and_what_is_missing(void **state)
{
	struct asked asked;
	char *text = help_on("all", &dialect, &asked);
	const char *missing;

	(void)state;
	assert_int_equal(asked.status, KYMO_OK);
	assert_non_null(strstr(text, "\nevery setting, as an option:\n"));
	assert_non_null(strstr(text, "\ngeneral options:\n"));
	missing = strstr(text, "\nknown, but not in this build:\n");
	assert_non_null(missing);
	assert_non_null(strstr(missing, "--device"));
	assert_null(strstr(missing, "--print-coverage")); /* of another command */
	assert_null(strstr(missing, "--noted"));	  /* nothing is missed for want of it */
	free(text);
}

static void test_no_such_topic(void **state)
{
	struct asked asked;
	char *text = help_on("nothing", &dialect, &asked);

	(void)state;
	assert_int_equal(asked.status, KYMO_USAGE);
	assert_string_equal(text, "");
	free(text);
	assert_memory_equal(asked.problem.text,
			    "there is no help on 'nothing', only on mine, general, ", 53);
	assert_non_null(strstr(asked.problem.text, ", all"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_topic_all_groups_are_shown),
		cmocka_unit_test(test_a_command_with_own_options_shows_these),
		cmocka_unit_test(test_one_topic),
		cmocka_unit_test(test_all_has_settings_and_what_is_missing),
		cmocka_unit_test(test_no_such_topic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
