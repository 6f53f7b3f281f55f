/* Constants in names of rustc. */
#include "object/names/rust_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What it reads as; NULL: it is no constant, or more than one. */
static char *const_of(const char *symbol, bool is_value)
{
	struct rust_reader reader = {.symbol = symbol, .size = strlen(symbol)};

	rust_read_const(&reader, is_value);
	if (!reader.has_failed && reader.at == reader.size && reader.depth == 0)
		return textbuf_take(&reader.out);
	textbuf_release(&reader.out);
	return NULL;
}

static void assert_const(const char *symbol, const char *expected)
{
	char *text = const_of(symbol, false);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void assert_none(const char *symbol)
{
	assert_null(const_of(symbol, false));
}

static void test_numbers(void **state)
{
	(void)state;
	assert_const("h0_", "0");
	assert_const("h_", "0");
	assert_const("j00000000000000000000ff_", "255");
	assert_const("yffffffffffffffff_", "18446744073709551615");
	assert_const("o10000000000000000_", "0x10000000000000000");
	assert_const("an80_", "-128");
	assert_const("l7f_", "127");
	assert_none("hn1_"); /* never negative */
	assert_none("h1");
	assert_none("h1G_");
	assert_none("hFF_"); /* digits are small letters */
}

static void test_truths_and_characters(void **state)
{
	(void)state;
	assert_const("b0_", "false");
	assert_const("b1_", "true");
	assert_none("b2_");
	assert_const("c76_", "'v'");
	assert_const("c27_", "'\\''");
	assert_const("c22_", "'\"'");
	assert_const("ca_", "'\\n'");
	assert_const("c5c_", "'\\\\'");
	assert_const("c1_", "'\\u{1}'");
	assert_const("c0_", "'\\u{0}'");
	assert_const("ce4_", "'\u00e4'");
	assert_const("c1f600_", "'\U0001f600'");
	assert_none("cd800_"); /* half of a character */
	assert_none("c110000_");
}

static void test_strings(void **state)
{
	(void)state;
	assert_const("e68c3a4_", "{*\"h\u00e4\"}");
	assert_const("Re68_", "\"h\"");
	assert_const("Re22270a_", "\"\\\"'\\n\"");
	assert_const("e_", "{*\"\"}");
	assert_none("e686_"); /* half of a byte */
}

static void test_made_of_others(void **state)
{
	char *text = const_of("Aj1_j2_E", true);

	(void)state;
	assert_string_equal(text, "[1, 2]");
	free(text);
	assert_const("Aj1_j2_E", "{[1, 2]}");
	assert_const("AE", "{[]}");
	assert_const("TE", "{()}");
	assert_const("Tj1_E", "{(1,)}");
	assert_const("Tj1_b1_E", "{(1, true)}");
	assert_const("Rj1_", "{&1}");
	assert_const("Qj1_", "{&mut 1}");
	assert_const("VNvC1c1NU", "{c::N}");
	assert_const("VNtC1c1PS1xj1_1yj2_E", "{c::P { x: 1, y: 2 }}");
	assert_const("VNtC1c1PTj1_E", "{c::P(1)}");
	assert_const("p", "_");
	assert_none("VNtC1c1PX");
	assert_none("d1_"); /* no number that is not whole */
}

static void test_cut_anywhere(void **state)
{
	static const char whole[] = "VNtC1c1PS1xTe6869_Rj1_E1yc76_E";
	char text[sizeof(whole)];

	(void)state;
	assert_const(whole, "{c::P { x: (*\"hi\", &1), y: 'v' }}");
	for (size_t length = 0; length < sizeof(whole) - 1; length++) {
		memcpy(text, whole, length);
		text[length] = '\0';
		assert_none(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),	     cmocka_unit_test(test_truths_and_characters),
		cmocka_unit_test(test_strings),	     cmocka_unit_test(test_made_of_others),
		cmocka_unit_test(test_cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
