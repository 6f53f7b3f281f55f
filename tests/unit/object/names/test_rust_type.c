/* Types in names of rustc. */
#include "object/names/rust_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What it reads as; NULL: it is no type, or more than one. */
static char *type_of(const char *symbol)
{
	struct rust_reader reader = {.symbol = symbol, .size = strlen(symbol)};

	rust_read_type(&reader);
	if (!reader.has_failed && reader.at == reader.size && reader.depth == 0)
		return textbuf_take(&reader.out);
	textbuf_release(&reader.out);
	return NULL;
}

static void assert_type(const char *symbol, const char *expected)
{
	char *text = type_of(symbol);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void test_basic_types(void **state)
{
	static const char letters[] = "abcdefhijlmnopstuvxyz";
	static const char *const names[] = {"i8",    "bool",  "char", "f64", "str",  "f32",  "u8",
					    "isize", "usize", "i32",  "u32", "i128", "u128", "_",
					    "i16",   "u16",   "()",   "...", "i64",  "u64",  "!"};

	(void)state;
	for (size_t i = 0; letters[i]; i++)
		assert_type((const char[]){letters[i], '\0'}, names[i]);
	assert_null(type_of("g"));
	assert_null(type_of("\xff"));
}

static void test_made_of_others(void **state)
{
	(void)state;
	assert_type("Rh", "&u8");
	assert_type("QRe", "&mut &str");
	assert_type("PPu", "*const *const ()");
	assert_type("Oz", "*mut !");
	assert_type("Sh", "[u8]");
	assert_type("Ahj10_", "[u8; 16]");
	assert_type("TE", "()");
	assert_type("ThE", "(u8,)");
	assert_type("ThTlmEE", "(u8, (i32, u32))");
	assert_type("RL_h", "&u8");	      /* a lifetime that was left out */
	assert_type("TRhB0_E", "(&u8, &u8)"); /* the same as at 1 */
}

static void test_functions(void **state)
{
	(void)state;
	assert_type("FEu", "fn()");
	assert_type("FhlEb", "fn(u8, i32) -> bool");
	assert_type("FUKCEu", "unsafe extern \"C\" fn()");
	assert_type("FK6systemEu", "extern \"system\" fn()");
	assert_type("FK8C_unwindEu", "extern \"C-unwind\" fn()");
	assert_type("FG_RL0_hEu", "for<'a> fn(&'a u8)");
	assert_type("FG_FG_RL0_hEuEu", "for<'a> fn(for<'b> fn(&'b u8))");
}

static void test_traits(void **state)
{
	(void)state;
	assert_type("DNtC1a1TEL_", "dyn a::T");
	assert_type("DNtC1a1TNtC1a1UEL_", "dyn a::T + a::U");
	assert_type("DINtC1a1ThEp1OlEL_", "dyn a::T<u8, O = i32>");
	assert_type("DNtC1a1Tp1OlEL_", "dyn a::T<O = i32>");
	assert_null(type_of("DNtC1a1TE")); /* its lifetime is missing */
}

static void test_narrowed(void **state)
{
	(void)state;
	assert_type("WmRm1_m9_", "u32 is 1..=9");
	assert_type("WmORm1_m2_Rm5_m6_E", "u32 is 1..=2 | 5..=6");
	assert_null(type_of("WmX"));
}

static void test_paths(void **state)
{
	(void)state;
	assert_type("NtC4demo5Wheel", "demo::Wheel");
	assert_type("INtC1a3VechE", "a::Vec<u8>");
}

/* Cut anywhere, as deep as anybody likes, or in a circle. */
static void test_hostile(void **state)
{
	static const char whole[] = "DG_INtC1c2FnTRL0_hEEp6OutputuEL_";
	char text[4096];

	(void)state;
	assert_type(whole, "dyn for<'a> c::Fn<(&'a u8,), Output = ()>");
	for (size_t length = 0; length < sizeof(whole) - 1; length++) {
		memcpy(text, whole, length);
		text[length] = '\0';
		assert_null(type_of(text));
	}
	memset(text, 'R', sizeof(text) - 2);
	strcpy(text + sizeof(text) - 2, "h");
	assert_null(type_of(text));
	assert_null(type_of("B_"));
	assert_null(type_of("RB_"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_basic_types), cmocka_unit_test(test_made_of_others),
		cmocka_unit_test(test_functions),   cmocka_unit_test(test_traits),
		cmocka_unit_test(test_narrowed),    cmocka_unit_test(test_paths),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
