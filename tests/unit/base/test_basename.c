/* The last part of a path. */
#include "base/basename.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_last_part(void **state)
{
	(void)state;
	assert_string_equal(path_base_name("/usr/lib/libc.so.6"), "libc.so.6");
	assert_string_equal(path_base_name("libc.so.6"), "libc.so.6");
	assert_string_equal(path_base_name("/usr/lib/"), "");
	assert_string_equal(path_base_name(""), "");
	assert_null(path_base_name(NULL));
}

static void test_for_people(void **state)
{
	(void)state;
	assert_string_equal(path_shown_name("/usr/lib/libc.so.6"), "libc.so.6");
	assert_string_equal(path_shown_name("/usr/lib/"), "/usr/lib/");
	assert_string_equal(path_shown_name("/"), "/");
	assert_string_equal(path_shown_name(""), "");
	assert_null(path_shown_name(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last_part),
		cmocka_unit_test(test_for_people),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
