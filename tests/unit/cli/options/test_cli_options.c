/* Options from a table: every form and kind, and one line for what is wrong. */
#include "cli/options/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/printed_fixture.h"

#define WORDS_MAX 8

struct parsed { /* what the options say, and what is left of the words */
	bool has_all, is_long;
	const char *text;
	uint64_t count;
	unsigned int choice;
	struct option_words texts, words;
	char *argv[WORDS_MAX + 1];
	int argc;
	enum options_result result;
	struct problem problem;
};

/* words: the command's name and what follows it, closed by NULL. */
static struct parsed parse(const char *const *words)
{
	struct parsed parsed = {.text = "as before", .count = 7};
	const struct option_row rows[] = {
		{'a', "all", OPTION_FLAG, &parsed.has_all, NULL, "All of them"},
		{'l', "long", OPTION_FLAG, &parsed.is_long, NULL, "With more"},
		{'o', "output", OPTION_TEXT, &parsed.text, "FILE", "Where to"},
		{'n', "top", OPTION_COUNT, &parsed.count, "N", "How many"},
		{0, "format", OPTION_CHOICE, &parsed.choice, "text,json", "How"},
		{'e', "each", OPTION_TEXTS, &parsed.texts, "WORD", "One more"},
		{'w', "words", OPTION_WORDS, &parsed.words, "WORD...", "Some more"},
	};
	const struct option_table table = {"kymo x", "[options] RUN", "Tries options.", rows,
					   sizeof(rows) / sizeof(*rows)};

	while (words[parsed.argc]) {
		parsed.argv[parsed.argc] = (char *)words[parsed.argc];
		parsed.argc++;
	}
	parsed.result = options_parse(&table, &parsed.argc, parsed.argv, &parsed.problem);
	return parsed;
}
#define PARSE(...) parse((const char *[]){"x", __VA_ARGS__, NULL})

static void test_forms_of_a_value(void **state)
{
	static const char *const forms[][4] = {
		{"x", "-o", "f"},    {"x", "-of"},  {"x", "--output", "f"},
		{"x", "--output=f"}, {"x", "-aof"}, {"x", "-ao", "f"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		struct parsed parsed = parse(forms[i]);

		assert_int_equal(parsed.result, OPTIONS_PARSED);
		assert_string_equal(parsed.text, "f");
		assert_int_equal(parsed.has_all, i >= 4);
		assert_int_equal(parsed.argc, 0);
	}
}

static void test_what_is_no_option_moves_to_the_front(void **state)
{
	struct parsed parsed = PARSE("run", "-al", "-", "-n", "0", "--", "-o");

	(void)state;
	assert_int_equal(parsed.result, OPTIONS_PARSED);
	assert_int_equal(parsed.argc, 3);
	assert_string_equal(parsed.argv[0], "run");
	assert_string_equal(parsed.argv[1], "-");
	assert_string_equal(parsed.argv[2], "-o");
	assert_true(parsed.has_all && parsed.is_long);
	assert_int_equal(parsed.count, 0);
	assert_string_equal(parsed.text, "as before"); /* it was not given */
}

static void test_words_and_choices(void **state)
{
	struct parsed parsed = PARSE("-w", "a", "-", "-e", "b", "c", "--each=d", "--format=json");

	(void)state;
	assert_int_equal(parsed.result, OPTIONS_PARSED);
	assert_int_equal(parsed.words.count, 2); /* up to the next option */
	assert_string_equal(parsed.words.items[1], "-");
	assert_int_equal(parsed.texts.count, 2); /* one each time */
	assert_string_equal(parsed.texts.items[1], "d");
	assert_int_equal(parsed.argc, 1);
	assert_string_equal(parsed.argv[0], "c");
	assert_int_equal(parsed.choice, 1);
	/* Attached, it is one value. */
	parsed = PARSE("--words=a", "b");
	assert_int_equal(parsed.words.count, 1);
	assert_int_equal(parsed.argc, 1);
}

static void test_what_is_wrong_is_said(void **state)
{
	static const char *const cases[][3] = {
		{"--top=-1", NULL, "--top takes a whole number, not '-1'"},
		{"--top=", NULL, "--top takes a whole number, not ''"},
		{"-n7x", NULL, "--top takes a whole number, not '7x'"},
		{"-n", "18446744073709551616",
		 "--top takes a whole number, not '18446744073709551616'"},
		{"--format=jso", NULL, "--format takes one of text,json, not 'jso'"},
		{"--all=1", NULL, "--all takes no value"},
		{"--output", NULL, "--output needs a value"},
		{"-ao", NULL, "--output needs a value"},
		{"--otput=f", NULL, "unknown option '--otput=f'; did you mean '--output'?"},
		{"--qwertyuiop", NULL, "unknown option '--qwertyuiop'; see 'kymo x --help'"},
		{"-az", NULL, "unknown option '-z'; see 'kymo x --help'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct parsed parsed = PARSE(cases[i][0], cases[i][1]);

		assert_int_equal(parsed.result, OPTIONS_FAILED);
		assert_string_equal(parsed.problem.text, cases[i][2]);
		assert_int_equal(parsed.count, 7);
	}
}

static void test_no_more_words_than_there_is_room_for(void **state)
{
	struct option_words words = {.count = OPTION_WORDS_MAX};
	const struct option_row row = {'e', "each", OPTION_TEXTS, &words, "WORD", "One more"};
	const struct option_table table = {"kymo x", "", "", &row, 1};
	char *argv[] = {(char *)"x", (char *)"-ea", NULL};
	struct problem problem;
	int argc = 2;

	(void)state;
	assert_int_equal(options_parse(&table, &argc, argv, &problem), OPTIONS_FAILED);
	assert_string_equal(problem.text, "--each takes at most 64 values");
}

static void print_help(void *context)
{
	struct parsed *parsed = context;

	*parsed = PARSE("-a", "--help", "--top=wrong");
}

static void test_help_shows_the_table(void **state)
{
	struct parsed parsed;
	char *text = printed_on(stdout, print_help, &parsed);

	(void)state;
	assert_int_equal(parsed.result, OPTIONS_HELPED);
	assert_memory_equal(text, "usage: kymo x [options] RUN\n\nTries options.\n\noptions:\n",
			    53);
	assert_non_null(strstr(text, "\n  -o, --output FILE     Where to\n"));
	assert_non_null(strstr(text, "\n      --format WORD     How\n"));
	assert_non_null(strstr(text, "                        (text,json)\n"));
	assert_non_null(strstr(text, "\n  -h, --help            Show this help\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms_of_a_value),
		cmocka_unit_test(test_what_is_no_option_moves_to_the_front),
		cmocka_unit_test(test_words_and_choices),
		cmocka_unit_test(test_what_is_wrong_is_said),
		cmocka_unit_test(test_no_more_words_than_there_is_room_for),
		cmocka_unit_test(test_help_shows_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
