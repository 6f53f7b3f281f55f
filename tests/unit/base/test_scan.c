/* The parser of the kernel's texts: what it takes, and that it never reads beyond the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/scan.h"

static bool is_near(double value, double expected)
{
	return value > expected - 1e-12 && value < expected + 1e-12;
}

static struct scan of(const char *text)
{
	return scan_of(text, strlen(text));
}

static void test_numbers(void **state)
{
	struct scan scan =
		of("  12 0 18446744073709551615 18446744073709551616 999999999999999999999 x");
	static const uint64_t expected[] = {12, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		assert_true(scan_number(&scan, &value));
		assert_true(value == expected[i]);
	}
	assert_false(scan_number(&scan, &value));
	assert_int_equal(*scan.at, 'x');
	assert_int_equal(scan_first("77 1", 4), 77);
	assert_int_equal(scan_first("max\n", 4), 0);
}

static void test_reals(void **state)
{
	struct scan scan = of("1.25 -5000 7. -.5");
	double value;

	(void)state;
	assert_true(scan_real(&scan, &value));
	assert_true(is_near(value, 1.25));
	assert_true(scan_real(&scan, &value));
	assert_true(is_near(value, -5000));
	assert_true(scan_real(&scan, &value));
	assert_true(is_near(value, 7));
	assert_false(scan_real(&scan, &value));
}

static void test_lines_and_words(void **state)
{
	struct scan scan = of("one two\tthree\n\nfour: 4\nlast");
	char word[6];
	uint64_t value;

	(void)state;
	scan_skip(&scan, 2);
	assert_true(scan_word(&scan, word, sizeof(word)));
	assert_string_equal(word, "three");
	assert_false(scan_word(&scan, word, sizeof(word)));
	assert_true(scan_line(&scan));
	assert_true(scan_line(&scan));
	assert_false(scan_literal(&scan, "four:5"));
	assert_true(scan_literal(&scan, "four:"));
	assert_true(scan_number(&scan, &value));
	assert_int_equal(value, 4);
	assert_true(scan_line(&scan));
	assert_false(scan_word(&scan, word, 4)); /* it has no room for "last" */
	assert_false(scan_line(&scan));
	assert_true(scan_is_done(&scan));
}

static void test_finding(void **state)
{
	struct scan scan = of("aaab avg10=3.5 total=9"), before = scan;
	uint64_t value;

	(void)state;
	assert_true(scan_find(&scan, "aab"));
	assert_int_equal(*scan.at, ' ');
	assert_false(scan_find(&before, "total=8"));
	assert_int_equal(*before.at, 'a');
	assert_true(scan_find(&scan, "total="));
	assert_true(scan_number(&scan, &value));
	assert_int_equal(value, 9);
}

/* Every prefix of a text, in memory that ends with it: a byte beyond is found by the tools. */
static void test_stays_within(void **state)
{
	static const char text[] = "cpu0 12 -3.75\tx: 1\n\nnr_throttled 8";

	(void)state;
	for (size_t length = 0; length < sizeof(text); length++) {
		char *copy = malloc(length ? length : 1), word[8];
		struct scan scan;
		uint64_t value;
		double real;

		assert_non_null(copy);
		memcpy(copy, text, length);
		scan = scan_of(copy, length);
		do {
			struct scan line = scan;

			scan_find(&line, "throttled ");
			scan_literal(&line, "cpu0");
			scan_number(&line, &value);
			scan_real(&line, &real);
			scan_skip(&line, 2);
			scan_word(&line, word, sizeof(word));
			assert_true(line.at <= scan.end);
		} while (scan_line(&scan));
		assert_true(scan_is_done(&scan));
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),		cmocka_unit_test(test_reals),
		cmocka_unit_test(test_lines_and_words), cmocka_unit_test(test_finding),
		cmocka_unit_test(test_stays_within),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
