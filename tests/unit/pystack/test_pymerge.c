/* Native and Python frames put together. */
#include "pystack/merge/pymerge.h"

#include "pymerge_fixture.h"

static void test_by_address(void **state)
{
	static const struct row rows[] = {
		{"abEcd", "x|", 0, "abxcd"},
		{"abEcd", "xyz|", 0, "abxyzcd"},
		{"aEbEc", "x|yz|", 0, "axbyzc"},
		{"EEE", "x|y|z|", 0, "xyz"},
		{"E", "x|", 0, "x"},
		/* The innermost evaluation has no frame at the moment. */
		{"aEbEc", "x|", 1, "abxc"},
		{"EbEc", "x|", 1, "bxc"},
		/* Two inside of all runs without one: kept, and said. */
		{"aEbEcEd", "x|", 2, "abEcxd?"},
		/* Outside of all runs: another greenlet's. */
		{"aEbEcEd", "x|", 0, "axbEcEd"},
		{"aEbEcEd", "x|y|", 0, "axbycEd"},
	};

	(void)state;
	check(rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_by_order(void **state)
{
	static const struct row rows[] = {
		{"abEcd", "x/", 0, "abxcd"},
		{"aEbEc", "x/y/", 0, "axbyc"},
		/* More evaluations than runs: another greenlet's. */
		{"aEbEc", "y/", 0, "aybEc"},
		{"aEbEcEd", "x/", 0, "axbEcEd"},
		/* The native stack is not whole: runs that are left over stand outermost. */
		{"aEb", "x/y/z/", 0, "axbyz?"},
	};

	(void)state;
	check(rows, sizeof(rows) / sizeof(rows[0]));
}

static void test_without_one_or_the_other(void **state)
{
	static const struct row rows[] = {
		{"abc", "", 0, "abc"}, {"", "x/y/", 0, "xy?"},	  {"", "", 0, ""},
		{"aEb", "", 0, "aEb"}, {"abc", "x/", 0, "abcx?"},
	};

	(void)state;
	check(rows, sizeof(rows) / sizeof(rows[0]));
}

/* Entries whose addresses lie in no native frame. */
static void test_strays(void **state)
{
	(void)state;
	make_native("abc");
	make_python("xy|", 0);
	python[1].c_address = STACK + 100 * STEP; /* the native stack was cut */
	assert_string_equal(merge(), "abcxy");
	python[1].c_address = STACK - 8; /* below all */
	assert_string_equal(merge(), "xyabc?");
	/* Two entries in one evaluation. */
	make_native("aEb");
	make_python("x|y|", 0);
	python[1].c_address = python[0].c_address;
	assert_string_equal(merge(), "axyb?");
}

/* Where the native frames end. */
static void test_end_of_native(void **state)
{
	(void)state;
	make_native("abEcd");
	make_python("xy|z|", 0);
	python[2].c_address = STACK + 100 * STEP;
	assert_string_equal(merge(), "abxycdz");
	assert_int_equal(native_end, 6);
	make_python("xy|", 0);
	assert_string_equal(merge(), "abxycd");
	assert_int_equal(native_end, 6);
	make_native("abE");
	make_python("x|z|", 0);
	python[1].c_address = STACK + 100 * STEP;
	assert_string_equal(merge(), "abxz"); /* an evaluation's run is where that is */
	assert_int_equal(native_end, 3);
}

/* A stack that was cut: its outermost run has no entry. */
static void test_cut(void **state)
{
	(void)state;
	make_native("aEbEcEd");
	make_python("x|yz", 0);
	assert_string_equal(merge(), "axbyzcEd");
	make_native("aEb");
	make_python("xyz", 0);
	assert_string_equal(merge(), "axyzb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_address),
		cmocka_unit_test(test_by_order),
		cmocka_unit_test(test_without_one_or_the_other),
		cmocka_unit_test(test_strays),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_end_of_native),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
