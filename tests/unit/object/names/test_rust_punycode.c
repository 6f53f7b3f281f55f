/* Identifiers with letters that are not ASCII. */
#include "object/names/rust_punycode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/textbuf.h"
#include "base/text/utf8.h"

static bool decode(const char *text, size_t size, struct textbuf *out)
{
	char *copy = malloc(size ? size : 1); /* exact, for the sanitizers */
	bool is_good;

	memcpy(copy, text, size);
	is_good = rust_put_punycode(copy, size, out);
	free(copy);
	return is_good;
}

static void assert_decoded(const char *text, const char *expected)
{
	struct textbuf out = {0};

	assert_true(decode(text, strlen(text), &out));
	assert_string_equal(out.data, expected);
	textbuf_release(&out);
}

static void assert_refused(const char *text)
{
	struct textbuf out = {0};

	assert_false(decode(text, strlen(text), &out));
	textbuf_release(&out);
}

/* RFC 3492, section 7.1, with '_' for the last '-' and lower case, and what rustc writes. */
static void test_samples(void **state)
{
	(void)state;
	assert_decoded("gdel_5qa", "g\u00f6del");
	assert_decoded("mnchen_3ya", "m\u00fcnchen");
	assert_decoded("egbpdaj6bu4bxfgehfvwxn",
		       "\u0644\u064a\u0647\u0645\u0627\u0628\u062a\u0643\u0644\u0645\u0648\u0634"
		       "\u0639\u0631\u0628\u064a\u061f");
	assert_decoded("ihqwcrb4cv8a8dqg056pqjye",
		       "\u4ed6\u4eec\u4e3a\u4ec0\u4e48\u4e0d\u8bf4\u4e2d\u6587");
	assert_decoded("_a_b_c_", "_a_b_c"); /* the last '_' divides, the others are letters */
}

static void test_no_punycode(void **state)
{
	(void)state;
	assert_refused("gdel_5Q");	/* digits are small letters */
	assert_refused("gdel_z");	/* a number that does not end */
	assert_refused("a_999999999b"); /* more than 32 bits */
	assert_refused("99999999");
}

static void test_more_letters_than_there_is_room_for(void **state)
{
	char text[400];
	struct textbuf out = {0};

	(void)state;
	memset(text, 'a', sizeof(text));
	text[256] = '_';
	assert_true(decode(text, 257, &out));
	assert_int_equal(out.length, 256);
	assert_false(decode(text, 260, &out)); /* one more, behind 256 */
	text[256] = 'a';
	text[257] = '_';
	assert_false(decode(text, 258, &out));
	assert_true(decode(text, 256, &out)); /* all are inserted */
	assert_false(decode(text, 257, &out));
	textbuf_release(&out);
}

static void test_codes(void **state)
{
	static const uint32_t none[] = {0xd800, 0xdfff, 0x110000, UINT32_MAX};
	static const uint32_t edges[] = {0x7f,	 0x80,	 0x7ff,	  0x800,   0xd7ff,
					 0xe000, 0xffff, 0x10000, 0x10ffff};
	static const size_t sizes[] = {1, 2, 2, 3, 3, 3, 3, 4, 4};
	struct textbuf out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_false(rust_put_code(none[i], &out));
	for (size_t i = 0; i < sizeof(edges) / sizeof(*edges); i++) {
		textbuf_clear(&out);
		assert_true(rust_put_code(edges[i], &out));
		assert_int_equal(out.length, sizes[i]);
		assert_int_equal(utf8_step(out.data), sizes[i]);
	}
	textbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_no_punycode),
		cmocka_unit_test(test_more_letters_than_there_is_room_for),
		cmocka_unit_test(test_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
