/* What is known and not in this build: each is refused with the part it needs. */
#include "cli/options/not_built.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/instrument/instrument_options.h"
#include "vocabulary_fixture.h"

/* What is there, too, would never be refused: each is known once, and names what it needs. */
static void test_rows_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < not_built_count; i++) {
		const struct not_built *row = &not_built_table[i];

		assert_true(row->name[0] && row->needs[0]);
		for (size_t k = 0; k < i; k++)
			assert_false(not_built_table[k].kind == row->kind &&
				     strcmp(not_built_table[k].of, row->of) == 0 &&
				     strcmp(not_built_table[k].name, row->name) == 0);
		if (row->kind == NOT_BUILT_WORD)
			assert_non_null(vocabulary_find(row->of, strlen(row->of)));
		if (row->kind != NOT_BUILT_OPTION)
			continue;
		assert_null(vocabulary_find(row->name, strlen(row->name)));
		assert_int_equal(settings_find(row->name), -1);
		for (size_t k = 0; k < vocabulary_count && row->letter; k++)
			assert_int_not_equal(vocabulary_table[k].option.letter, row->letter);
	}
}

static void assert_refused(const char *words, const char *command, const char *expected)
{
	char copy[128], *argv[4] = {(char *)"x"};
	struct line line = {.argc = 1};
	char *rest, *word;

	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[line.argc++] = word;
	line.status = options_parse_program(command, &instrument_dialect, line.argc, argv,
					    &line.request, &line.problem);
	assert_int_equal(line.status, KYMO_USAGE);
	assert_string_equal(line.problem.text, expected);
	vocabulary_request_release(&line.request);
}

static void test_each_is_refused_with_what_it_needs(void **state)
{
	(void)state;
	for (size_t i = 0; i < not_built_count; i++) {
		const struct not_built *row = &not_built_table[i];
		const char *command = row->of[0] ? row->of : COMMAND;
		char words[128], expected[256];

		if (row->kind == NOT_BUILT_KEY) {
			assert_ptr_equal(not_built_key(row->name), row);
			continue;
		}
		if (row->kind == NOT_BUILT_WORD)
			command = COMMAND;
		not_built_spell(row, words, sizeof(words));
		snprintf(expected, sizeof(expected),
			 "'%s' needs %s, which this build does not have", words, row->needs);
		assert_refused(words, command, expected);
		if (!row->letter)
			continue;
		snprintf(words, sizeof(words), "-%c", row->letter);
		if (row->letter != 'L') /* which is another option of this command */
			assert_refused(words, command, expected);
	}
}

/* To leave out what is not there is no mistake, and an option is one command's own. */
static void test_what_is_no_mistake(void **state)
{
	(void)state;
	assert_choices("-E ompt,rocm x", "");
	assert_null(not_built_option("kymo run", "coverage"));
	assert_non_null(not_built_option("kymo instrument", "coverage"));
	assert_null(not_built_letter("kymo run", 'T'));
	assert_null(not_built_word("include", "gil", 3));
	assert_non_null(not_built_key("causal.mode"));
	assert_null(not_built_key("causality"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_whole),
		cmocka_unit_test(test_each_is_refused_with_what_it_needs),
		cmocka_unit_test(test_what_is_no_mistake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
