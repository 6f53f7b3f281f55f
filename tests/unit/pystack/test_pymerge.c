/* Native and Python frames put together, written as texts: one letter a frame, innermost
 * first.  Native: E = the evaluation function, others as they are.  Python: runs, each ended
 * by '|' where its entry has an address (of the evaluation it belongs to, in order) or by '/'
 * where it has none. */
#include "pystack/pymerge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define FRAMES_MAX 32
#define EVALUATE   0x5000u
#define STACK	   0x7000u
#define STEP	   64u

static struct unwind_frame native[FRAMES_MAX];
static struct pyframe python[FRAMES_MAX];
static size_t native_count, python_count, native_end;
static bool is_between;

static void make_native(const char *text)
{
	native_count = strlen(text);
	for (size_t i = 0; i < native_count; i++) {
		native[i].address = text[i] == 'E' ? EVALUATE + 8 : (unsigned char)text[i];
		native[i].low = STACK + i * STEP;
	}
}

/* Address inside of the k-th evaluation, 0 = there are less. */
static uint64_t evaluation_address(size_t k)
{
	for (size_t i = 0; i < native_count; i++)
		if (native[i].address >= EVALUATE && k-- == 0)
			return native[i].low + 16;
	return 0;
}

/* skip: evaluations, from the innermost on, that have no run. */
static void make_python(const char *text, size_t skip)
{
	python_count = 0;
	for (; *text; text++) {
		if (*text != '|' && *text != '/') {
			python[python_count] = (struct pyframe){.code = (unsigned char)*text};
			python_count++;
			continue;
		}
		python[python_count - 1].is_entry = true;
		if (*text == '|')
			python[python_count - 1].c_address = evaluation_address(skip);
		skip++;
	}
}

/* Merge, and give the frames as a text; '?' at its end where it is not certain. */
static const char *merge(void)
{
	const struct pymerge_evaluation evaluation = {
		.start = {EVALUATE}, .end = {EVALUATE + 64}, .count = 1};
	static char text[2 * FRAMES_MAX + 2];
	struct pymerge_frame merged[2 * FRAMES_MAX];
	const struct pymerge_stack stack = {native, python, native_count, python_count, is_between};
	struct pymerge_result result = pymerge(&stack, &evaluation, merged);

	for (size_t i = 0; i < result.count; i++) {
		uint64_t what = merged[i].is_python ? python[merged[i].index].code
						    : native[merged[i].index].address;

		text[i] = what >= EVALUATE ? 'E' : (char)what;
	}
	native_end = result.native_count;
	text[result.count] = result.is_certain ? '\0' : '?';
	text[result.count + 1] = '\0';
	return text;
}

struct row {
	const char *native, *python;
	size_t skip;
	const char *merged;
};

static void check(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		make_native(rows[i].native);
		make_python(rows[i].python, rows[i].skip);
		assert_string_equal(merge(), rows[i].merged);
	}
}

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

/* The innermost evaluation is known to have no run. */
static void test_between(void **state)
{
	static const struct row rows[] = {
		{"EaEbEc", "x/y/", 0, "axbyc"}, {"EaEbEcEd", "x/y/", 0, "axbycEd"},
		{"aEbEc", "x/", 0, "abxc"},	{"EaEb", "x/y/", 0, "axby?"},
		{"EaEbEc", "x|y|", 1, "axbyc"}, /* by their addresses, as ever */
		{"ab", "x/", 0, "abx?"},
	};

	(void)state;
	is_between = true;
	check(rows, sizeof(rows) / sizeof(rows[0]));
	is_between = false;
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
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_end_of_native),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
