/* Functions in texts that name them with their files and lines. */
#include "import/function_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "imported_fixture.h"
#include "import/text_lines.h"

static void test_labels(void **state)
{
	static const struct {
		const char *label, *name, *file;
		uint32_t line;
	} cases[] = {
		{"f (/a/b.py:12)", "f", "/a/b.py", 12},
		{"<module> (a b.py:1)", "<module>", "a b.py", 1},
		{"f (b.py)", "f", "b.py", 0},
		{"operator new (size)", "operator new (size)", "", 0},
		{"f(int) (x.c:3)", "f(int)", "x.c", 3},
		{"main", "main", "", 0},
		{"(a.py:3)", "(a.py:3)", "", 0},
		{"f ()", "f ()", "", 0},
		{"f (:3)", "f (:3)", "", 0},
		{" (a.py:3)", " (a.py:3)", "", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct imported_function function;

		function_from_label(span_of(cases[i].label), &function);
		assert_true(span_equals(function.name, cases[i].name));
		assert_true(span_equals(function.file, cases[i].file));
		assert_int_equal(function.line, cases[i].line);
	}
}

static void test_frames_of_austin(void **state)
{
	struct imported_function function;

	(void)state;
	assert_true(function_from_austin(span_of("/a/b.py:f:12"), &function));
	assert_true(span_equals(function.name, "f") && span_equals(function.file, "/a/b.py"));
	assert_true(function_from_austin(span_of("b.py:<module>:0"), &function));
	assert_true(span_equals(function.name, "<module>"));
	assert_false(function_from_austin(span_of(":GC:"), &function));
	assert_false(function_from_austin(span_of("f:12"), &function));
	assert_false(function_from_austin(span_of(":::1"), &function));
	assert_false(function_from_austin(span_of(""), &function));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_frames_of_austin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
