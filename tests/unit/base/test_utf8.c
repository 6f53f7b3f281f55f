/* Checking, repairing and measuring UTF-8. */
#include "base/text/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void assert_cleaned(const char *text, const char *expected)
{
	char out[64];

	assert_int_equal(utf8_clean(text, out, sizeof(out)), strlen(expected));
	assert_string_equal(out, expected);
}

static void test_valid_text_is_kept(void **state)
{
	(void)state;
	assert_cleaned("", "");
	assert_cleaned("fib", "fib");
	assert_cleaned("größe", "größe");
	assert_cleaned("\xe2\x82\xac \xf0\x9d\x84\x9e", "\xe2\x82\xac \xf0\x9d\x84\x9e");
}

static void test_invalid_bytes_are_replaced(void **state)
{
	(void)state;
	assert_cleaned("a\xff"
		       "b",
		       "a\xef\xbf\xbd"
		       "b");
	assert_cleaned("\xc3", "\xef\xbf\xbd");
	assert_cleaned("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");
	assert_cleaned("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	assert_cleaned("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_cut_between_characters(void **state)
{
	char out[6];

	(void)state;
	assert_int_equal(utf8_clean("aßßß", out, sizeof(out)), 7);
	assert_string_equal(out, "aßß");
	assert_int_equal(utf8_clean("aßßß", out, 5), 7);
	assert_string_equal(out, "aß");
}

static void test_columns(void **state)
{
	(void)state;
	assert_int_equal(utf8_count("größe"), 5);
	assert_int_equal(utf8_count("a\xff"), 2);
	assert_int_equal(utf8_offset("größe", 3), 4);
	assert_int_equal(utf8_offset("ab", 9), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid_text_is_kept),
		cmocka_unit_test(test_invalid_bytes_are_replaced),
		cmocka_unit_test(test_cut_between_characters),
		cmocka_unit_test(test_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
