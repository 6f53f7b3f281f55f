/* Text as the inside of a JSON string. */
#include "base/text/jsontext.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void assert_escaped(const char *text, const char *expected)
{
	char out[128];

	assert_int_equal(json_escape(text, out, sizeof(out)), strlen(expected));
	assert_string_equal(out, expected);
}

static void test_plain_text_is_kept(void **state)
{
	(void)state;
	assert_escaped("", "");
	assert_escaped("fib(n=5)", "fib(n=5)");
	assert_escaped("größe € \xf0\x9d\x84\x9e", "größe € \xf0\x9d\x84\x9e");
}

static void test_special_characters_are_escaped(void **state)
{
	(void)state;
	assert_escaped("\"a\\b\"", "\\\"a\\\\b\\\"");
	assert_escaped("\b\f\n\r\t", "\\b\\f\\n\\r\\t");
	assert_escaped("\x01\x1f\x7f", "\\u0001\\u001f\\u007f");
}

static void test_bytes_that_are_not_text_are_replaced(void **state)
{
	(void)state;
	assert_escaped("a\xff"
		       "b",
		       "a\xef\xbf\xbd"
		       "b");
	assert_escaped("\xc3\"", "\xef\xbf\xbd\\\"");
}

static void test_short_memory_cuts_between_characters(void **state)
{
	char out[8];

	(void)state;
	assert_int_equal(json_escape("abc\nde", out, 5), 7);
	assert_string_equal(out, "abc");
	assert_int_equal(json_escape("a€b", out, 4), 5);
	assert_string_equal(out, "a");
	assert_int_equal(json_escape("abc", NULL, 0), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_text_is_kept),
		cmocka_unit_test(test_special_characters_are_escaped),
		cmocka_unit_test(test_bytes_that_are_not_text_are_replaced),
		cmocka_unit_test(test_short_memory_cuts_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
