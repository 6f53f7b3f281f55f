/* Growing texts: appending, clearing, taking, and running out of memory. */
#include "base/text/textbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void test_appends(void **state)
{
	struct textbuf text = {0};
	char *taken;

	(void)state;
	textbuf_text(&text, "a");
	textbuf_char(&text, 'b');
	textbuf_bytes(&text, "cde", 2);
	textbuf_format(&text, "-%d-%s", 7, "x");
	assert_string_equal(text.data, "abcd-7-x");
	assert_int_equal(text.length, 8);
	taken = textbuf_take(&text);
	assert_string_equal(taken, "abcd-7-x");
	assert_null(text.data);
	free(taken);
}

static void test_grows_past_every_capacity(void **state)
{
	struct textbuf text = {0};

	(void)state;
	for (size_t i = 0; i < 5000; i++) {
		textbuf_format(&text, "%c", (int)('a' + i % 26));
		assert_int_equal(strlen(text.data), i + 1);
	}
	assert_int_equal(text.data[4999], 'a' + 4999 % 26);
	textbuf_release(&text);
}

static void test_empty_is_taken_as_empty(void **state)
{
	struct textbuf text = {0};
	char *taken = textbuf_take(&text);

	(void)state;
	assert_string_equal(taken, "");
	free(taken);
}

static void test_clear_keeps_nothing(void **state)
{
	struct textbuf text = {0};

	(void)state;
	textbuf_clear(&text);
	textbuf_text(&text, "abc");
	textbuf_clear(&text);
	assert_int_equal(text.length, 0);
	assert_string_equal(text.data, "");
	textbuf_release(&text);
}

static void test_failure_is_kept(void **state)
{
	struct textbuf text = {0};

	(void)state;
	textbuf_text(&text, "abc");
	textbuf_bytes(&text, "x", SIZE_MAX / 2);
	assert_true(text.has_failed);
	textbuf_text(&text, "more");
	assert_string_equal(text.data, "abc");
	assert_null(textbuf_take(&text));
	assert_null(text.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_appends),
		cmocka_unit_test(test_grows_past_every_capacity),
		cmocka_unit_test(test_empty_is_taken_as_empty),
		cmocka_unit_test(test_clear_keeps_nothing),
		cmocka_unit_test(test_failure_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
