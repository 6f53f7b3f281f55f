/* CPython's marshal format as it is read: every type of a profile, references of both kinds, and
 * nothing beyond the end.  That all versions are read is held by the end-to-end tests. */
#include "import/formats/marshal_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "import/text_lines.h"

#define READ(reader, literal) marshal_read(reader, literal, sizeof(literal) - 1)

static void assert_integer(const char *data, size_t size, int64_t expected)
{
	struct marshal_reader reader;
	uint32_t value = marshal_read(&reader, data, size);

	assert_int_not_equal(value, MARSHAL_FAILED);
	assert_int_equal(marshal_value(&reader, value)->kind, MARSHAL_INTEGER);
	assert_int_equal(marshal_value(&reader, value)->as.integer, expected);
	assert_int_equal(reader.at, size);
	marshal_release(&reader);
}

static void test_integers(void **state)
{
	(void)state;
	assert_integer("i\xfe\xff\xff\xff", 5, -2);
	assert_integer("I\1\0\0\0\1\0\0\0", 9, INT64_C(0x100000001));
	assert_integer("l\3\0\0\0\1\0\2\0\3\0", 11, 1 + (2 << 15) + (INT64_C(3) << 30));
	assert_integer("l\xff\xff\xff\xff\5\0", 7, -5);
	assert_integer("l\5\0\0\0\0\0\0\0\0\0\0\0\7\0", 15, INT64_C(7) << 60);
	assert_integer("l\5\0\0\0\0\0\0\0\0\0\0\0\x8\0", 15, INT64_MAX);
	assert_integer("l\7\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0", 19, 1);
}

static void test_fractions_in_both_forms(void **state)
{
	struct marshal_reader reader;
	uint32_t value;

	(void)state;
	value = READ(&reader, "g\0\0\0\0\0\0\xf8\x3f");
	assert_true(marshal_value(&reader, value)->as.real == 1.5);
	marshal_release(&reader);
	value = READ(&reader, "f\4"
			      "2.25");
	assert_true(marshal_value(&reader, value)->as.real == 2.25);
	marshal_release(&reader);
	assert_int_equal(READ(&reader, "f\2"
				       "2x"),
			 MARSHAL_FAILED);
	marshal_release(&reader);
}

/* The tuple has number 0, the text 1; the second text of Python 2 refers to the first. */
static void test_references(void **state)
{
	struct marshal_reader reader;
	const struct marshal_value *tuple;
	uint32_t value;

	(void)state;
	value = READ(&reader, "\xa9\3\xda\2abr\1\0\0\0z\1c");
	tuple = marshal_value(&reader, value);
	assert_int_equal(tuple->item_count, 3);
	assert_true(span_equals(marshal_item(&reader, tuple, 0)->as.text, "ab"));
	assert_true(span_equals(marshal_item(&reader, tuple, 1)->as.text, "ab"));
	assert_true(span_equals(marshal_item(&reader, tuple, 2)->as.text, "c"));
	marshal_release(&reader);
	value = READ(&reader, "(\2\0\0\0t\2\0\0\0xyR\0\0\0\0");
	tuple = marshal_value(&reader, value);
	assert_true(span_equals(marshal_item(&reader, tuple, 1)->as.text, "xy"));
	marshal_release(&reader);
}

static void test_a_tuple_that_holds_itself(void **state)
{
	struct marshal_reader reader;
	uint32_t value = READ(&reader, "\xa9\1r\0\0\0\0");

	(void)state;
	assert_int_not_equal(value, MARSHAL_FAILED);
	assert_ptr_equal(marshal_item(&reader, marshal_value(&reader, value), 0),
			 marshal_value(&reader, value));
	marshal_release(&reader);
}

static void test_what_is_wrong_has_its_place(void **state)
{
	static const struct {
		const char *data;
		size_t size;
		const char *problem;
	} cases[] = {
		{"", 0, "marshal data ends at byte 0"},
		{"i\1\0", 3, "marshal data ends at byte 3"},
		{"(\2\0\0\0N", 6, "marshal data ends at byte 6"},
		{"r\0\0\0\0", 5, "a reference to a missing object at byte 5"},
		{"u\xff\xff\xff\xff", 5, "marshal data ends at byte 5"},
		{"?", 1, "not a value of a profile at byte 0"},
		{"0", 1, "an end where a value should be at byte 1"},
		{"{N0", 3, "an end where a value should be at byte 3"},
		{"(\1\0\0\0"
		 "0",
		 6, "an end where a value should be at byte 6"},
		{"c\0\0\0\0", 5, "not a value of a profile at byte 1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		/* Exactly as large as it is, so that a sanitizer sees a read past its end. */
		char *data = malloc(cases[i].size ? cases[i].size : 1);
		struct marshal_reader reader;

		memcpy(data, cases[i].data, cases[i].size);
		assert_int_equal(marshal_read(&reader, data, cases[i].size), MARSHAL_FAILED);
		assert_string_equal(reader.problem, cases[i].problem);
		marshal_release(&reader);
		free(data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_fractions_in_both_forms),
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_a_tuple_that_holds_itself),
		cmocka_unit_test(test_what_is_wrong_has_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
