/* Names of Cython's functions: those that it makes, made-up ones, and nonsense. */
#include "object/names/cython_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *linker_name, const char *expected)
{
	char *name = cython_name(linker_name, NULL);

	if (!expected)
		assert_null(name);
	else if (!name)
		fail_msg("'%s' is no name of Cython's", linker_name);
	else
		assert_string_equal(name, expected);
	free(name);
}

static void test_sorts(void **state)
{
	(void)state;
	check("__pyx_pw_4busy_1spin", "busy.spin");
	check("__pyx_pf_4busy_spin", "busy.spin");
	check("__pyx_f_4busy_turn", "busy.turn");
	check("__pyx_f_4busy_5Wheel_run", "busy.Wheel.run");
	check("__pyx_f_4busy___pyx_unpickle_Wheel__set_state",
	      "busy.__pyx_unpickle_Wheel__set_state");
	check("__pyx_pw_3pkg_4busy_5Wheel_5__call__", "pkg.busy.Wheel.__call__");
	check("__pyx_pw_4busy_5Wheel_4size_1__get__", "busy.Wheel.size.__get__");
	check("__pyx_pf_4busy_5Wheel___cinit__", "busy.Wheel.__cinit__");
	check("__pyx_gb_4busy_8generator", "busy.generator");
	check("__pyx_gb_4busy_5outer_2generator3", "busy.outer.generator3");
	check("__pyx_fuse_0__pyx_pw_4busy_21fused", "busy.fused");
	check("__pyx_fuse_1_0__pyx_f_4busy_fused", "busy.fused");
	check("__pyx_pw_4busy_5outer_2__pyx_lambda_funcdef_lambda", "busy.outer.<lambda>");

	check("__pyx_lambda_funcdef_lambda1", "<lambda>");
	check("__pyx_f_8pkg_dot_busy_f", "pkg.busy.f");
	check("__pyx_pymod_exec_busy", "busy.<module>");
	check("__pyx_pw_4busy_1spin(_object*, _object* const*, long)", "busy.spin");
}

/* Numbers that are as long as what follows up to a line. */
static void test_numbers_and_lengths(void **state)
{
	(void)state;
	check("__pyx_pw_4busy_3get_size", "busy.get_size");
	check("__pyx_pw_4busy_3get_1size", "busy.get.size");
	check("__pyx_pf_4busy_4make_table", "busy.make_table");
	check("__pyx_pf_4busy_5outer_inner", "busy.outer.inner");
	check("__pyx_pf_4busy_4Wing_lift", "busy.Wing.lift");
	assert_true(cython_is_wrapper_of("__pyx_pw_4busy_1spin", "__pyx_pf_4busy_spin"));
	assert_true(
		cython_is_wrapper_of("__pyx_pw_4busy_4make_1table", "__pyx_pf_4busy_4make_table"));
	assert_true(cython_is_wrapper_of("__pyx_pw_4busy_5outer_2__pyx_lambda_funcdef_lambda1",
					 "__pyx_lambda_funcdef_lambda1"));
	assert_false(cython_is_wrapper_of("__pyx_pw_4busy_5outer_2__pyx_lambda_funcdef_lambda1",
					  "__pyx_lambda_funcdef_lambda"));
	assert_false(cython_is_wrapper_of("__pyx_pw_4busy_1spin", "__pyx_pf_4busy_2turn"));
	assert_false(cython_is_wrapper_of("__pyx_pw_4busy_1spin", "__pyx_f_4busy_spin"));
	assert_false(cython_is_wrapper_of("__pyx_pf_4busy_spin", "__pyx_pf_4busy_spin"));
	assert_false(cython_is_wrapper_of("spin", "spin"));
}

/* The module's file tells which of the scopes is the module. */
static void test_name_of_the_file(void **state)
{
	static const char *const files[] = {"/a/b/busy.cpython-311-x86_64-linux-gnu.so", "busy.so"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *name = cython_name("__pyx_pf_3pkg_4busy_spin", files[i]);

		assert_non_null(name);
		assert_string_equal(name, "pkg.busy.spin");
		free(name);
	}
}

static void test_others(void **state)
{
	static const char *const names[] = {
		"",
		"spin",
		"__pyx_",
		"__pyx_pw_",
		"__pyx_pw_spin",
		"__pyx_pw_4busy",
		"__pyx_pw_4busy_",
		"__pyx_pw_4busy_1",
		"__pyx_pw_9busy_1spin",
		"__pyx_pw_0_1spin",
		"__pyx_pw_04busy_1spin",
		"__pyx_pw_99999999999999999999busy_1spin",
		"__pyx_f_4busy_1turn",
		"__pyx_f_4busy_turn here",
		"__pyx_pymod_exec_",
		"__pyx_fuse_0_",
		"__pyx_fuse_",
		"__Pyx_PyObject_Call",
		"__pyx_tp_dealloc_4busy_Wheel",
		"__module_MOD_procedure",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		check(names[i], NULL);
}

static uint32_t next_random(uint32_t *random)
{
	*random = *random * 1664525u + 1013904223u;
	return *random >> 8;
}

static size_t make_word(uint32_t *random, char *out)
{
	static const char letters[] = "abcdexyzABZ_0123456789";
	size_t length = 1 + next_random(random) % 12;

	/* Beginnings are no digits, and lines are left out where they would be ambiguous. */
	for (size_t i = 0; i < length; i++)
		out[i] = letters[next_random(random) % (i ? sizeof(letters) - 1 : 11)];
	out[length] = '\0';
	return length;
}

/* Scopes, wrapped and not, come back as they were. */
static void test_any_name(void **state)
{
	uint32_t random = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		bool is_wrapper = next_random(&random) % 2;
		char mangled[256], expected[256], word[16];
		int depth = 1 + (int)(next_random(&random) % 4), at, to = 0;

		at = sprintf(mangled, is_wrapper ? "__pyx_pw_" : "__pyx_f_");
		while (depth-- > 0) {
			size_t length = make_word(&random, word);

			at += sprintf(mangled + at, "%zu%s_", length, word);
			to += sprintf(expected + to, "%s.", word);
		}
		make_word(&random, word);
		word[strcspn(word, "_")] = '\0'; /* else numbers can be lengths */
		if (!word[0])
			continue;
		at += is_wrapper ? sprintf(mangled + at, "%u", next_random(&random) % 200) : 0;
		sprintf(mangled + at, "%s", word);
		sprintf(expected + to, "%s", word);
		check(mangled, expected);
	}
}

/* Any change of a name gives another one or none, of letters only. */
static void test_damaged_names(void **state)
{
	static const char *const names[] = {
		"__pyx_pw_3pkg_4busy_5Wheel_5__call__",
		"__pyx_fuse_1_0__pyx_f_8pkg_dot_busy_5fused",
		"__pyx_pf_4busy_5outer_2__pyx_lambda_funcdef_lambda",
		"__pyx_gb_4busy_5outer_2generator3(void*)",
		"__pyx_pymod_exec_busy",
	};
	static const char bytes[] = "019_a(.\x80\n";
	uint32_t random = 11;

	(void)state;
	for (int round = 0; round < 50000; round++) {
		const char *whole = names[next_random(&random) % (sizeof(names) / sizeof(*names))];
		size_t length = strlen(whole), size = 1 + next_random(&random) % length;
		char *damaged = malloc(size + 1), *name; /* no room that it could run on into */

		assert_non_null(damaged);
		memcpy(damaged, whole, size);
		damaged[size] = '\0';
		for (uint32_t i = next_random(&random) % 4; i > 0; i--)
			damaged[next_random(&random) % size] =
				bytes[next_random(&random) % (sizeof(bytes) - 1)];
		name = cython_name(damaged, "/lib/busy.so");
		if (name) {
			assert_true(name[0] && strlen(name) <= size);
			assert_int_equal(strcspn(name, "(\n\x80"), strlen(name));
		}
		free(name);
		free(damaged);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorts),
		cmocka_unit_test(test_numbers_and_lengths),
		cmocka_unit_test(test_name_of_the_file),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_any_name),
		cmocka_unit_test(test_damaged_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
