/* Text for people: what terminals obey does not reach them. */
#include "base/text/plaintext.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text/jsontext.h"
#include "base/text/textbuf.h"
#include "base/text/utf8.h"
#include "text/csv_text.h"
#include "text/json_writer.h"

static void assert_cleaned(const char *text, const char *expected)
{
	struct textbuf buffer = {0};
	char out[256];

	assert_int_equal(plaintext_clean(text, out, sizeof(out)), strlen(expected));
	assert_string_equal(out, expected);
	assert_string_equal(plaintext_of(&buffer, text), expected);
	assert_int_equal(plaintext_is_clean(text), strcmp(text, expected) == 0);
	assert_true(plaintext_is_clean(expected));
	textbuf_release(&buffer);
}

static void test_cleaned(void **state)
{
	(void)state;
	assert_cleaned("", "");
	assert_cleaned("gr\xc3\xb6\xc3\x9f"
		       "e \xe6\xbc\xa2 \xf0\x9f\x90\x8d \\",
		       "gr\xc3\xb6\xc3\x9f"
		       "e \xe6\xbc\xa2 \xf0\x9f\x90\x8d \\");
	assert_cleaned("\033]0;title\a\033[2J", "\\x1b]0;title\\x07\\x1b[2J");
	assert_cleaned("a\nb\tc\rd\x7f", "a\\nb\\tc\\rd\\x7f");
	assert_cleaned("\xc2\x9b"
		       "31m",
		       "\\u009b31m");
	assert_cleaned("\x9b"
		       "31m \xff\xc3",
		       "\\x9b31m \\xff\\xc3");
	assert_cleaned("\xe2\x80\xae"
		       "gnp.exe",
		       "\\u202egnp.exe");
	assert_cleaned("\xd8\x9c\xe2\x81\xa6", "\\u061c\\u2066");
	assert_cleaned("\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029");
}

/* Each code, not only those of the list above. */
static void test_every_code(void **state)
{
	unsigned int controls = 0;

	(void)state;
	for (unsigned int code = 1; code < 0x10000; code++) {
		char text[4] = {0};
		bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
				  code == 0x200e || code == 0x200f ||
				  (code >= 0x2028 && code <= 0x202e) ||
				  (code >= 0x2066 && code <= 0x2069) || code >= 0xfffe;

		if (code < 0x80)
			text[0] = (char)code;
		else if (code < 0x800)
			text[0] = (char)(0xc0 | code >> 6), text[1] = (char)(0x80 | (code & 0x3f));
		else
			text[0] = (char)(0xe0 | code >> 12),
			text[1] = (char)(0x80 | (code >> 6 & 0x3f)),
			text[2] = (char)(0x80 | (code & 0x3f));
		if (code >= 0xd800 && code < 0xe000)
			continue; /* surrogates are no characters */
		assert_int_equal(plaintext_is_clean(text), !is_control);
		controls += is_control;
	}
	assert_int_equal(controls, 31 + 33 + 1 + 2 + 7 + 4 + 2);
}

/* Lines of a file, of which a NUL and half a character are no end. */
static void test_added(void **state)
{
	static const char text[] = "a\tb\r\n\0\033\xe2\x80\xae\xc3\n\xe2\x80";
	struct textbuf buffer = {0};

	(void)state;
	plaintext_add(&buffer, text, sizeof(text) - 1, "\t\r\n");
	assert_string_equal(buffer.data, "a\tb\r\n\\x00\\x1b\\u202e\\xc3\n\\xe2\\x80");
	textbuf_release(&buffer);
}

static void test_cut(void **state)
{
	char out[8];

	(void)state;
	assert_int_equal(plaintext_clean("ab\033\033\033", out, sizeof(out)), 14);
	assert_string_equal(out, "ab\\x1b");
	assert_int_equal(plaintext_clean("abcdef\xc3\xb6", out, sizeof(out)), 8);
	assert_string_equal(out, "abcdef");
}

static void assert_printed(const char *expected, FILE *out, char **text)
{
	fclose(out);
	assert_string_equal(*text, expected);
	free(*text);
}

static void test_printed(void **state)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	plaintext_print(out, "\n%s: %d\n", "a\033[1m\n", 7);
	plaintext_print(out, "%s", "");
	plaintext_print(out, "\n\n");
	assert_printed("\na\\x1b[1m\\n: 7\n\n\n", out, &text);
}

static void test_problems_are_clean(void **state)
{
	struct problem problem;

	(void)state;
	problem_set(&problem, KYMO_SYSTEM, "cannot read '%s'", "a\nb\033[2J\xc2\x9b\xe2\x80\xae");
	assert_string_equal(problem.text, "cannot read 'a b\\x1b[2J\\u009b\\u202e'");
}

/* JSON keeps what it is, escaped. */
static void test_json_escapes(void **state)
{
	char out[64];

	(void)state;
	json_escape("\xc2\x9b\xe2\x80\xae\x1b\x7f\xc3\xb6", out, sizeof(out));
	assert_string_equal(out, "\\u009b\\u202e\\u001b\\u007f\xc3\xb6");
}

/* That of pages is for people. */
static void test_json_is_shown(void **state)
{
	struct json_writer json = {.is_shown = true};
	char *text;
	size_t size;

	(void)state;
	json.out = open_memstream(&text, &size);
	json_pair_text(&json, "\033", "\xe2\x80\xae\n\"\xff\xc3\xb6");
	assert_printed("\"\\\\x1b\":\"\\\\u202e\\\\n\\\"\\\\xff\xc3\xb6\"", json.out, &text);
}

static void assert_csv(const char *text, const char *expected)
{
	char *cell;
	size_t size;
	FILE *out = open_memstream(&cell, &size);

	csv_write_text(text, ",", out);
	assert_printed(expected, out, &cell);
}

static void test_csv(void **state)
{
	(void)state;
	assert_csv("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0");
	assert_csv("+f(1,2)", "\"'+f(1,2)\"");
	assert_csv("@plt", "'@plt");
	assert_csv("-[NSObject init]", "'-[NSObject init]");
	assert_csv("-", "'-");
	assert_csv("-1.5e3", "-1.5e3");
	assert_csv("+7", "+7");
	assert_csv("-inf", "'-inf");
	assert_csv("-0x10", "'-0x10");
	assert_csv("\t=1", "\\t=1");
	assert_csv("a\"b\n", "\"a\"\"b\\n\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cleaned),	     cmocka_unit_test(test_every_code),
		cmocka_unit_test(test_added),	     cmocka_unit_test(test_cut),
		cmocka_unit_test(test_printed),	     cmocka_unit_test(test_problems_are_clean),
		cmocka_unit_test(test_json_escapes), cmocka_unit_test(test_json_is_shown),
		cmocka_unit_test(test_csv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
