/* What libraries are by the names of their files. */
#include "object/names/system_library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_of_the_system(void **state)
{
	static const char *const yes[] = {
		"libc.so.6",	 "libc-2.31.so",      "libm.so.6",	 "ld-linux-x86-64.so.2",
		"ld-2.31.so",	 "libnss_files.so.2", "linux-vdso.so.1", "libstdc++.so.6.0.30",
		"libc++.so.1.0", "libc++abi.so.1",    "libgcc_s.so.1",	 "libpthread-2.31.so",
	};
	static const char *const no[] = {
		"libcrypto.so.3", "libcurl.so.4", "libmpi.so.40",   "mylibc.so", "libc-client.so",
		"libdlib.so",	  "libmath.so.1", "libresolver.so", "",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (!library_is_of_system(yes[i]))
			fail_msg("%s is of the system", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (library_is_of_system(no[i]))
			fail_msg("%s is not of the system", no[i]);
}

static void test_names(void **state)
{
	(void)state;
	assert_true(library_is_named("libc.so.6", "libc", 4));
	assert_true(library_is_named("libc", "libc", 4));
	assert_true(library_is_named("libc-2.so", "libc", 4));
	assert_false(library_is_named("libc-x.so", "libcx", 5));
	assert_true(library_is_named("libnss_dns.so", "libnss_", 7));
	assert_false(library_is_named("libfoo.so", "libfo", 5));
	assert_false(library_is_named("libc.so", "", 0));
	assert_true(library_is_named("libc.so", "libcurl", 4)); /* the first four bytes */
}

static void test_ours(void **state)
{
	(void)state;
	assert_true(library_is_kymo("libkymo.so"));
	assert_true(library_is_kymo("libkymo-waits.so"));
	assert_false(library_is_kymo("libkymograph.so"));
	assert_false(library_is_kymo("libkymo"));
	assert_false(library_is_kymo("libc.so.6"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_the_system),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
