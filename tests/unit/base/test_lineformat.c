/* Formatted text without the C library. */
#include "base/text/lineformat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char text[128];

__attribute__((format(printf, 2, 3))) static size_t put(size_t size, const char *format, ...)
{
	va_list arguments;
	size_t length;

	va_start(arguments, format);
	length = lineformat(text, size, format, arguments);
	va_end(arguments);
	return length;
}

/* As the C library has it. */
#define SAME(format, ...)                                                                          \
	do {                                                                                       \
		char expected[sizeof(text)];                                                       \
		int length = snprintf(expected, sizeof(expected), format, __VA_ARGS__);            \
                                                                                                   \
		assert_int_equal(put(sizeof(text), format, __VA_ARGS__), length);                  \
		assert_string_equal(text, expected);                                               \
	} while (0)

static void test_conversions(void **state)
{
	(void)state;
	SAME("a '%s' of %s", "b", "");
	SAME("%d %d %d %d", 0, -1, INT_MAX, INT_MIN);
	SAME("%u %x", UINT_MAX, 0xbeefu);
	SAME("%ld %lu %lx", LONG_MIN, ULONG_MAX, 255ul);
	SAME("%lld %llu %zu", LLONG_MIN, ULLONG_MAX, (size_t)7);
	SAME("100 %% of %c%c", 'a', 'b');
	assert_int_equal(put(sizeof(text), "plain"), 5);
	assert_string_equal(text, "plain");
}

static void test_what_does_not_fit_is_cut(void **state)
{
	(void)state;
	memset(text, 'x', sizeof(text));
	assert_int_equal(put(5, "%s%d", "abc", 1234), 4);
	assert_string_equal(text, "abc1");
	assert_int_equal(text[5], 'x');
	assert_int_equal(put(1, "abc"), 0);
	assert_string_equal(text, "");
}

/* Rather than to take an argument for what it is not. */
static void test_what_is_not_known_ends_the_text(void **state)
{
	static const char *const formats[] = {"a%fb", "a%5sb", "a%", "a%l"};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		const char *format = formats[i];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
		assert_int_equal(put(sizeof(text), format), 1);
#pragma GCC diagnostic pop
		assert_string_equal(text, "a");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conversions),
		cmocka_unit_test(test_what_does_not_fit_is_cut),
		cmocka_unit_test(test_what_is_not_known_ends_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
