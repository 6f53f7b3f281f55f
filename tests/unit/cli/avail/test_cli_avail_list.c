/* Lists of `kymo avail`: what is kept of them, and in which order. */
#include "cli/avail/avail_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "avail_fixture.h"

#define NAMES	     (1u << AVAIL_NAME)
#define DESCRIPTIONS (1u << AVAIL_DESCRIPTION)

/* The names that are left when the list is filtered, joined by blanks. */
static void assert_kept(const char *pattern, const char *second, unsigned int roles,
			const char *category, bool is_only_available, const char *expected)
{
	struct avail_patterns patterns = avail_compiled(pattern, second),
			      categories = avail_compiled(category, NULL);
	struct avail_list list = avail_fruit();
	char names[128] = "";

	avail_list_filter(&list, &patterns, roles, &categories, is_only_available);
	for (size_t i = 0; i < list.row_count; i++) {
		strcat(names, i ? " " : "");
		strcat(names, list.rows[i].cells[0]);
	}
	assert_string_equal(names, expected);
	avail_list_release(&list);
	avail_patterns_release(&patterns);
	avail_patterns_release(&categories);
}

static void test_filters(void **state)
{
	(void)state;
	assert_kept(NULL, NULL, NAMES, NULL, false, "pear fig berry");
	assert_kept(NULL, NULL, NAMES, NULL, true, "pear berry");
	assert_kept("^f", "rr", NAMES, NULL, false, "fig berry"); /* any of them */
	assert_kept("e", "~^b", NAMES, NULL, false, "pear");
	assert_kept("~^b", NULL, NAMES, NULL, false, "pear fig");
	assert_kept("red", NULL, NAMES, NULL, false, "");
	assert_kept("red", NULL, NAMES | DESCRIPTIONS, NULL, false, "berry");
	assert_kept("e", NULL, NAMES, "tree", false, "pear");
	assert_kept(NULL, NULL, NAMES, "~tree", false, "berry");
	assert_kept("tree", NULL, NAMES, NULL, false, ""); /* names alone are looked at */
}

static void test_sorting_is_by_name(void **state)
{
	struct avail_list list = avail_fruit();

	(void)state;
	avail_list_sort(&list);
	assert_string_equal(list.rows[0].cells[0], "berry");
	assert_string_equal(list.rows[1].cells[0], "fig");
	assert_false(list.rows[1].is_available); /* rows move as a whole */
	assert_string_equal(list.rows[2].cells[1], "green, or yellow");
	avail_list_release(&list);
	assert_int_equal(list.row_count, 0);
}

static void test_case_may_be_ignored(void **state)
{
	const struct option_words words = {.items = {"^PEAR$"}, .count = 1};
	struct avail_patterns patterns;

	(void)state;
	assert_int_equal(avail_patterns_compile(&patterns, &words, true, NULL), KYMO_OK);
	assert_int_equal(regexec(&patterns.expressions[0], "pear", 0, NULL, 0), 0);
	avail_patterns_release(&patterns);
	assert_int_equal(avail_patterns_compile(&patterns, &words, false, NULL), KYMO_OK);
	assert_int_equal(regexec(&patterns.expressions[0], "pear", 0, NULL, 0), REG_NOMATCH);
	avail_patterns_release(&patterns);
}

/* Those before it are released like others. */
static void test_what_is_no_expression_is_said(void **state)
{
	const struct option_words words = {.items = {"fine", "~(open"}, .count = 2};
	struct avail_patterns patterns;
	struct problem problem;

	(void)state;
	assert_int_equal(avail_patterns_compile(&patterns, &words, false, &problem), KYMO_USAGE);
	assert_memory_equal(problem.text, "bad regular expression '~(open': ", 33);
	avail_patterns_release(&patterns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_sorting_is_by_name),
		cmocka_unit_test(test_case_may_be_ignored),
		cmocka_unit_test(test_what_is_no_expression_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
