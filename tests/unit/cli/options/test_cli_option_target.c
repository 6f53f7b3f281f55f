/* What a value makes of an option's target, and what is none of its kind. */
#include "cli/options/option_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

static struct problem problem;

static void test_each_kind_has_its_target(void **state)
{
	bool flag = false;
	const char *text = "before";
	uint64_t count = 1;
	unsigned int choice = 0;
	struct option_words words = {.count = 0};
	const struct {
		struct option_row row;
		const char *value;
	} cases[] = {
		{{'a', "all", OPTION_FLAG, &flag, NULL, ""}, NULL},
		{{'o', "output", OPTION_TEXT, &text, "FILE", ""}, "-"},
		{{'n', "top", OPTION_COUNT, &count, "N", ""}, "18446744073709551615"},
		{{0, "format", OPTION_CHOICE, &choice, "text,json,csv", ""}, "csv"},
		{{'e', "each", OPTION_TEXTS, &words, "WORD", ""}, "one"},
		{{'w', "words", OPTION_WORDS, &words, "WORD...", ""}, "two"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(option_target_set(&cases[i].row, cases[i].value, &problem),
				 KYMO_OK);
	assert_true(flag);
	assert_string_equal(text, "-");
	assert_true(count == UINT64_MAX);
	assert_int_equal(choice, 2);
	assert_int_equal(words.count, 2);
	assert_string_equal(words.items[1], "two");
}

static void test_a_refused_value_leaves_the_target(void **state)
{
	uint64_t count = 1;
	unsigned int choice = 1;
	const struct option_row top = {'n', "top", OPTION_COUNT, &count, "N", ""};
	const struct option_row format = {0, "format", OPTION_CHOICE, &choice, "text,json", ""};

	(void)state;
	assert_int_equal(option_target_set(&top, " 2", &problem), KYMO_USAGE);
	assert_string_equal(problem.text, "--top takes a whole number, not ' 2'");
	assert_int_equal(option_target_set(&format, "text,json", &problem), KYMO_USAGE);
	assert_string_equal(problem.text, "--format takes one of text,json, not 'text,json'");
	assert_int_equal(count, 1);
	assert_int_equal(choice, 1);
}

static void test_no_more_words_than_there_is_room_for(void **state)
{
	struct option_words words = {.count = OPTION_WORDS_MAX};
	const struct option_row row = {'e', "each", OPTION_TEXTS, &words, "WORD", ""};

	(void)state;
	assert_int_equal(option_target_set(&row, "a", &problem), KYMO_USAGE);
	assert_string_equal(problem.text, "--each takes at most 64 values");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind_has_its_target),
		cmocka_unit_test(test_a_refused_value_leaves_the_target),
		cmocka_unit_test(test_no_more_words_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
