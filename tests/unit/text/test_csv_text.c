/* Texts as cells of CSV. */
#include "text/csv_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_cell(const char *text, const char *separator, const char *expected)
{
	size_t size;
	char *written;
	FILE *out = open_memstream(&written, &size);

	csv_write_text(text, separator, out);
	fclose(out);
	assert_string_equal(written, expected);
	free(written);
}

static void test_quotes_where_needed(void **state)
{
	(void)state;
	assert_cell("solve", ",", "solve");
	assert_cell("", ",", "");
	assert_cell("f(a, b)", ",", "\"f(a, b)\"");
	assert_cell("f(a, b)", ";", "f(a, b)");
	assert_cell("say \"x\"", ",", "\"say \"\"x\"\"\"");
	assert_cell("\"", ",", "\"\"\"\"");
}

/* Names come from programs that are measured: a spreadsheet must not start others for them. */
static void test_formulas_are_texts(void **state)
{
	(void)state;
	assert_cell("=HYPERLINK(1)", ",", "'=HYPERLINK(1)");
	assert_cell("@SUM(A1)", ",", "'@SUM(A1)");
	assert_cell("+cmd|'/c calc'!A0", ",", "'+cmd|'/c calc'!A0");
	assert_cell("-2+3", ",", "'-2+3");
	assert_cell("=a,b", ",", "\"'=a,b\"");
	assert_cell("-", ",", "'-");
	assert_cell("-inf", ",", "'-inf");
	assert_cell("-0x1p3", ",", "'-0x1p3");
}

static void test_numbers_stay(void **state)
{
	(void)state;
	assert_cell("-2", ",", "-2");
	assert_cell("+1.5e3", ",", "+1.5e3");
	assert_cell("-.5", ",", "-.5");
}

static void test_no_line_is_broken(void **state)
{
	size_t size;
	char *written;
	FILE *out = open_memstream(&written, &size);

	(void)state;
	csv_write_text("a\nb\r\t\x1b[31m", ",", out);
	csv_write_text("\t=1", ",", out);
	fclose(out);
	for (size_t i = 0; i < size; i++)
		assert_true((unsigned char)written[i] >= 0x20);
	free(written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quotes_where_needed),
		cmocka_unit_test(test_formulas_are_texts),
		cmocka_unit_test(test_numbers_stay),
		cmocka_unit_test(test_no_line_is_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
