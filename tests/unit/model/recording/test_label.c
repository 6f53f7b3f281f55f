/* The grammar of labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/tree/calltree.h"
#include "model/recording/label.h"

static void assert_label(uint32_t flags, const char *arguments, uint32_t line, const char *expected)
{
	const struct region region = {
		.kind = KYMO_REGION_PYTHON,
		.flags = flags,
		.name = "func",
		.qualname = "Class.func",
		.file = "/home/me/file.py",
		.arguments = arguments,
		.line = line,
	};
	char text[100];

	assert_int_equal(region_label(&region, text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
}

static void test_parts(void **state)
{
	const uint32_t file = KYMO_REGION_LABEL_FILE, line = KYMO_REGION_LABEL_LINE;

	(void)state;
	assert_label(0, NULL, 12, "func");
	assert_label(0, "(n=5)", 12, "func(n=5)");
	assert_label(file, NULL, 12, "[func][file.py]");
	assert_label(file | line, NULL, 12, "[func][file.py:12]");
	assert_label(file | line, "(a=1, b=2)", 12, "[func(a=1, b=2)][file.py:12]");
	assert_label(file | KYMO_REGION_LABEL_FULL_PATH, NULL, 12, "[func][/home/me/file.py]");
	assert_label(line, NULL, 12, "func:12");
	assert_label(line, "()", UINT32_MAX, "func():4294967295");
}

static void test_unknown_parts_are_left_out(void **state)
{
	const uint32_t all =
		KYMO_REGION_LABEL_FILE | KYMO_REGION_LABEL_LINE | KYMO_REGION_LABEL_FULL_PATH;
	const struct region region = {.name = "len", .flags = all};
	char text[100];

	(void)state;
	assert_label(KYMO_REGION_LABEL_LINE | KYMO_REGION_LABEL_FILE, NULL, 0, "[func][file.py]");
	assert_int_equal(region_label(&region, text, sizeof(text)), 3);
	assert_string_equal(text, "len");
}

static void test_cut_to_size(void **state)
{
	const struct region region = {.name = "function",
				      .arguments = "(x)",
				      .file = "f.py",
				      .flags = KYMO_REGION_LABEL_FILE};
	const char *whole = "[function(x)][f.py]";
	char text[32];

	(void)state;
	for (size_t size = 1; size < sizeof(text); size++) {
		size_t expected = strlen(whole) < size ? strlen(whole) : size - 1;

		memset(text, '#', sizeof(text));
		assert_int_equal(region_label(&region, text, size), strlen(whole));
		assert_int_equal(strlen(text), expected);
		assert_memory_equal(text, whole, expected);
	}
	text[0] = '#';
	assert_int_equal(region_label(&region, text, 0), strlen(whole));
	assert_int_equal(text[0], '#');
	assert_int_equal(region_label(&region, NULL, 0), strlen(whole));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_unknown_parts_are_left_out),
		cmocka_unit_test(test_cut_to_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
