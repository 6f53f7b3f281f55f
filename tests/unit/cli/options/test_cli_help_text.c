/* Help on a terminal: columns, and lines that are no wider than it. */
#include "cli/options/help_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/printed_fixture.h"

static void print_short(void *context)
{
	(void)context;
	help_option('x', "name", "N", "what it does");
	help_option(0, "long", "", "no letter");
	help_option('c', "colour", "[=WHEN]", "its own bracket");
	help_option_letters("ab", "both", "A B", "two letters");
	help_more("more of it");
}

static void test_columns(void **state)
{
	char *text = printed_on(stdout, print_short, NULL);

	(void)state;
	assert_string_equal(text, "  -x, --name N          what it does\n"
				  "      --long            no letter\n"
				  "  -c, --colour[=WHEN]   its own bracket\n"
				  "  -ab, --both A B       two letters\n"
				  "                        more of it\n");
	free(text);
}

static void print_long(void *context)
{
	(void)context;
	help_option('x', "a-name-that-is-too-long", "ARGUMENT",
		    "many words  that do not fit on one line of a terminal that is eighty columns "
		    "wide and_one_word_that_is_longer_than_what_is_left_of_a_line_anyhow end");
}

static void test_lines_are_wrapped_at_words(void **state)
{
	char *text = printed_on(stdout, print_long, NULL), *rest = text, *line;

	(void)state;
	line = strsep(&rest, "\n");
	assert_string_equal(line, "  -x, --a-name-that-is-too-long ARGUMENT");
	for (int i = 0; (line = strsep(&rest, "\n")) && *line; i++) {
		assert_int_equal(strspn(line, " "), 24);
		assert_true(strlen(line) <= 80 || !strchr(line + 24, ' '));
		assert_true(line[strlen(line) - 1] != ' ');
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_lines_are_wrapped_at_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
