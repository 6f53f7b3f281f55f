/* Names of Rust, as rustc's linkers' names have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/code/symbols.h"
#include "object/names/rust_name.h"

static const struct {
	const char *linker, *plain;
} names[] = {
	{"_RNvC4demo4main", "demo::main"},
	{"_RNvC6_123foo3bar", "123foo::bar"},
	{"_RNCNvC4demo4main0", "demo::main::{closure#0}"},
	{"_RNCNvC4demo4mains_0", "demo::main::{closure#1}"},
	{"_RNSC4demo4call", "demo::{shim:call#0}"},
	{"_RNvMC4demoNtB2_5Wheel4turn", "<demo::Wheel>::turn"},
	{"_RNvXC4demoNtB2_5WheelNtB2_5Spins4spin", "<demo::Wheel as demo::Spins>::spin"},
	{"_RNvYNtC4demo5WheelNtB4_5Spins4spin", "<demo::Wheel as demo::Spins>::spin"},
	{"_RINvC4demo3runmReEB2_", "demo::run::<u32, &str>"},
	{"_RIC4demoQhPuOzShAtj3_TmEThcEE",
	 "demo::<&mut u8, *const (), *mut !, [u8], [u16; 3], (u32,), "
	 "(u8, char)>"},
	{"_RIC4demoFUKCaEuFG_RL0_hEjE",
	 "demo::<unsafe extern \"C\" fn(i8), for<'a> fn(&'a u8) -> usize>"},
	{"_RIC4demoDG_INtC1c2FnTRL0_hEEp6OutputuEL_E",
	 "demo::<dyn for<'a> c::Fn<(&'a u8,), Output = ()>>"},
	{"_RIC4demoKj1_Kan0_E", "demo::<1, -0>"},
	{"_RIC4demoKb1_Kc76_Kc27_E", "demo::<true, 'v', '\\''>"},
	{"_RIC4demoKe68656c6c6f_KRe61_E", "demo::<{*\"hello\"}, \"a\">"},
	{"_RIC4demoKo123456789abcdef01_E", "demo::<0x123456789abcdef01>"},
	{"_RIC4demoKAj1_j2_EKTj1_EE", "demo::<{[1, 2]}, {(1,)}>"},
	{"_RIC4demoKVNvC1c1NUKVNtC1c1PS1xj1_EE", "demo::<{c::N}, {c::P { x: 1 }}>"},
	{"_RNvC4demou8gdel_5qa", "demo::gödel"},
	{"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
	 "utf8_idents::"
	 "\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xad\xe1\x83\x9b\xe1\x83\x94\xe1\x83\x9a\xe1\x83"
	 "\x90\xe1\x83\x93_"
	 "\xe1\x83\x92\xe1\x83\x94\xe1\x83\x9b\xe1\x83\xa0\xe1\x83\x98\xe1\x83\x94\xe1"
	 "\x83\x9a\xe1\x83\x98_\xe1\x83\xa1\xe1\x83\x90\xe1\x83\x93\xe1\x83\x98\xe1\x83\x9a\xe1\x83"
	 "\x98"},
	{"_RNvC4demo4USED.0", "demo::USED.0"},
	{"_ZN4core3fmt5Write9write_str17h0123456789abcdefE", "core::fmt::Write::write_str"},
	{"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
	 "17h930b740aa94f1d3aE",
	 "<Test + 'static as foo::Bar<Test>>::bar"},
};

static const char *const others[] = {
	"",
	"_R",
	"main",
	"_RNvC4demo",
	"_RNvC9demo4main",
	"_RNvB_4main",
	"_R0C4demo",
	"_ZN3foo3barEv",
	"_ZN3foo17h0123456789abcdeE",
	"_ZN17h0123456789abcdefE",
	"_RIC4demoRL0_hE", /* a lifetime that nobody binds */
	"_RNvC4demo4mainx",
	"_RNvC4demou1-",
};

static void test_names(void **state)
{
	struct symbols *symbols = symbols_new();

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *plain = rust_name(names[i].linker);

		assert_non_null(plain);
		assert_string_equal(plain, names[i].plain);
		assert_string_equal(symbols_readable(symbols, names[i].linker), names[i].plain);
		free(plain);
	}
	symbols_free(symbols);
}

static void test_others(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_null(rust_name(others[i]));
}

/* What compilers add for a part of a function goes, as it does in other languages. */
static void test_parts(void **state)
{
	struct symbols *symbols = symbols_new();

	(void)state;
	assert_string_equal(symbols_readable(symbols, "_RNvC4demo4main.llvm.123.cold"),
			    "demo::main");
	assert_string_equal(symbols_readable(symbols, "_RNvC4demo4main@plt"), "demo::main@plt");
	symbols_free(symbols);
}

/* Each tuple stands twice for the one before: 2^60 of them. */
static void test_multiplied(void **state)
{
	char name[2048] = "_RIC1aTuuE", more[32];
	size_t previous = 5;

	(void)state;
	for (int i = 0; i < 60; i++) {
		size_t begin = strlen(name) - 2;
		/* "B" and its number in base 62, from 0 as "_" on. */
		char digits[4] = {'\0'};
		size_t value = previous - 1, at = 0;
		static const char letters[] =
			"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

		if (value >= 62)
			digits[at++] = letters[value / 62];
		digits[at] = letters[value % 62];
		snprintf(more, sizeof(more), "TB%s_B%s_E", digits, digits);
		strcat(name, more);
		previous = begin;
	}
	strcat(name, "E");
	assert_null(rust_name(name));
}

/* "&&&&…u8", deeper than anything that compilers write. */
static void test_deep(void **state)
{
	char name[100010] = "_RIC1a";

	(void)state;
	memset(name + strlen(name), 'R', 100000);
	strcpy(name + 100006, "hE");
	assert_null(rust_name(name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_others),
		cmocka_unit_test(test_parts), cmocka_unit_test(test_multiplied),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
