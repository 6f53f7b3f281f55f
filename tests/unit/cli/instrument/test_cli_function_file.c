/* Which libraries are meant when all are asked for. */
#include "cli/instrument/function_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_libraries_of_the_system_are_not(void **state)
{
	(void)state;
	assert_true(function_file_is_internal("/lib/x86_64-linux-gnu/libc.so.6", "", ""));
	assert_true(function_file_is_internal("/usr/lib/libstdc++.so.6.0.30", "", ""));
	assert_false(function_file_is_internal("/usr/lib/libz.so.1", "", ""));
	assert_false(function_file_is_internal("/opt/app", "", ""));
}

static void test_lists_add_and_take_away(void **state)
{
	(void)state;
	assert_true(function_file_is_internal("/usr/lib/libz.so.1", "libz", ""));
	assert_true(function_file_is_internal("/usr/lib/libz.so.1", "a, z", ""));
	assert_true(function_file_is_internal("/usr/lib/libz.so.1", "libz.so.1", ""));
	assert_false(function_file_is_internal("/usr/lib/libzip.so.1", "z", ""));
	assert_false(function_file_is_internal("/lib/libc.so.6", "", "libc"));
	assert_false(function_file_is_internal("/lib/libz.so.1", "z", "z")); /* less wins */
}

static void test_kymos_own(void **state)
{
	(void)state;
	assert_true(function_file_is_ours("/opt/kymo/lib/libkymo.so"));
	assert_true(function_file_is_ours("libkymo-waits.so"));
	assert_false(function_file_is_ours("/opt/kymo/lib/libz.so.1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries_of_the_system_are_not),
		cmocka_unit_test(test_lists_add_and_take_away),
		cmocka_unit_test(test_kymos_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
