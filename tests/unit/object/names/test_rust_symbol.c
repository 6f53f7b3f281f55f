/* Whole symbols of rustc, and paths in them. */
#include "object/names/rust_symbol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_name(const char *symbol, const char *expected)
{
	char *name = rust_symbol_name(symbol);

	assert_non_null(name);
	assert_string_equal(name, expected);
	free(name);
}

static void test_paths(void **state)
{
	(void)state;
	assert_name("NvC4demo4main", "demo::main");
	assert_name("NvNtC4demo5inner4main", "demo::inner::main");
	assert_name("NvCs1234_4demo4main", "demo::main"); /* which build of the crate */
	assert_name("NvC4demo0", "demo");
	assert_name("INvC4demo3runmE", "demo::run::<u32>");
	assert_name("NvMC4demoNtB2_5Wheel4turn", "<demo::Wheel>::turn");
	assert_name("NvXC4demohNtB2_5Spins4spin", "<u8 as demo::Spins>::spin");
}

static void test_closures_and_shims(void **state)
{
	(void)state;
	assert_name("NCNvC4demo4main0", "demo::main::{closure#0}");
	assert_name("NCNvC4demo4mains0_0", "demo::main::{closure#2}");
	assert_name("NSC4demo4call", "demo::{shim:call#0}");
	assert_name("NZC4demo1x", "demo::{Z:x#0}");
}

static void test_what_is_behind(void **state)
{
	(void)state;
	assert_name("NvC4demo4main.llvm.1", "demo::main.llvm.1");
	assert_name("NvC4demo4main$x", "demo::main$x");
	assert_name("INvC4demo3runmEC5other", "demo::run::<u32>"); /* who made this copy */
	assert_null(rust_symbol_name("NvC4demo4mainX"));
	assert_null(rust_symbol_name("NvC4demo4mainC5otherC5other"));
}

static void test_no_symbols(void **state)
{
	static const char *const none[] = {"",	 ".x",	 "0C4demo", "nvC4demo4main",
					   "Nv", "C4de", "N1C1a1b", "NvB_1b"};

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_null(rust_symbol_name(none[i]));
}

/* Any letters: an answer, and within bounds. */
static void test_any_letters(void **state)
{
	static const char letters[] = "NvCBIETRMXYKLsuhmj0123_e";
	uint64_t seed = 17;

	(void)state;
	for (int round = 0; round < 100000; round++) {
		char symbol[40];
		size_t length = 1 + (size_t)(seed >> 59);
		char *name;

		for (size_t i = 0; i < length; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			symbol[i] = letters[(seed >> 40) % (sizeof(letters) - 1)];
		}
		symbol[length] = '\0';
		name = rust_symbol_name(symbol);
		assert_true(!name || strlen(name) < 20000);
		free(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),	       cmocka_unit_test(test_closures_and_shims),
		cmocka_unit_test(test_what_is_behind), cmocka_unit_test(test_no_symbols),
		cmocka_unit_test(test_any_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
