/* Lines and numbers of texts to be imported: decimal fractions stay exact, nothing is read beyond
 * the end. */
#include "import/text_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

static struct span span_of(const char *text)
{
	return (struct span){text, strlen(text)};
}

static void test_lines_end_as_they_may(void **state)
{
	static const char text[] = "one\r\n\ntwo\nthree";
	static const char *const expected[] = {"one", "", "two", "three"};
	struct text_lines lines = text_lines_of(text, sizeof(text) - 1);
	struct span line;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_true(text_line(&lines, &line));
		assert_true(span_equals(line, expected[i]));
		assert_int_equal(lines.number, i + 1);
	}
	assert_false(text_line(&lines, &line));
}

static void test_fractions_are_decimal(void **state)
{
	static const struct {
		const char *text;
		int power;
		int64_t value;
	} cases[] = {
		{"0", 9, 0},
		{"1.5", 3, 1500},
		{"-1.5", 3, -1500},
		{"1700000000000000.123", 3, INT64_C(1700000000000000123)},
		{"0.1234567894999", 9, 123456789},
		{"0.1234567895", 9, 123456790},
		{"1e3", 3, 1000000},
		{"1.25E-3", 6, 1250},
		{"+7", 0, 7},
		{".5", 1, 5},
		{"5.", 1, 50},
		{"1e-400", 9, 0},
		{"0e999999999999", 9, 0},
		{"9223372036854775807", 0, INT64_MAX},
		{"12345678901234567890123e-9", 0, INT64_C(12345678901235)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t value = 1;

		assert_true(span_scaled(span_of(cases[i].text), cases[i].power, &value));
		if (value != cases[i].value)
			fail_msg("%s: %lld", cases[i].text, (long long)value);
	}
}

static void test_what_is_no_number(void **state)
{
	static const char *const scaled[] = {"",   "-",	  "1.2.3", "1e",
					     "e5", "nan", "1e30",  "0x10",
					     "1 ", " 1",  "1e+",   "9223372036854775808"};
	static const char *const reals[] = {"", "x", "1x", "0x1p3", "nan(1)", " 1", "1 2"};
	int64_t whole;
	double real;

	(void)state;
	for (size_t i = 0; i < sizeof(scaled) / sizeof(*scaled); i++)
		assert_false(span_scaled(span_of(scaled[i]), 0, &whole));
	for (size_t i = 0; i < sizeof(reals) / sizeof(*reals); i++)
		assert_false(span_real(span_of(reals[i]), &real));
	assert_true(span_real(span_of("nan"), &real) && isnan(real));
	assert_true(span_real(span_of("-1e400"), &real) && isinf(real));
}

static void test_numbers_are_passed(void **state)
{
	struct span text = span_of("12/0x1fz");
	uint64_t value;

	(void)state;
	assert_true(span_number(&text, &value));
	assert_int_equal(value, 12);
	text = span_from(text, 1);
	assert_true(span_number(&text, &value));
	assert_int_equal(value, 0x1f);
	assert_true(span_equals(text, "z"));
	assert_false(span_number(&text, &value));
	text = span_of("18446744073709551616");
	assert_false(span_number(&text, &value));
}

static void test_words_and_cuts(void **state)
{
	struct span text = span_of("  one\ttwo;three;"), word;

	(void)state;
	assert_true(span_equals(span_word(&text), "one"));
	word = span_trim(span_cut(&text, ';'));
	assert_true(span_equals(word, "two"));
	assert_true(span_equals(span_cut(&text, ';'), "three"));
	assert_int_equal(text.size, 0);
	assert_int_equal(span_cut(&text, ';').size, 0);
	assert_int_equal(span_word(&text).size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_end_as_they_may),
		cmocka_unit_test(test_fractions_are_decimal),
		cmocka_unit_test(test_what_is_no_number),
		cmocka_unit_test(test_numbers_are_passed),
		cmocka_unit_test(test_words_and_cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
