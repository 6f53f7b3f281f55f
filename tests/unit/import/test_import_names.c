/* What other tools' texts name: functions with files and lines, samples and frames of perf, formats
 * by their first bytes. */
#include "import/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "import/formats/perf_lines.h"
#include "import/function_names.h"

static struct span span_of(const char *text)
{
	return (struct span){text, strlen(text)};
}

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

static void test_samples_of_perf(void **state)
{
	struct perf_sample sample;

	(void)state;
	assert_true(perf_read_sample(
		span_of("Web Content 12/34 [003] 1.000001: 250 cycles:u: rest"), &sample));
	assert_true(span_equals(sample.command, "Web Content"));
	assert_int_equal(sample.pid, 12);
	assert_int_equal(sample.tid, 34);
	assert_int_equal(sample.ns, 1000001000);
	assert_true(sample.period == 250);
	assert_true(span_equals(sample.event, "cycles:u"));
	assert_true(span_equals(sample.rest, "rest"));
	assert_true(perf_read_sample(span_of("a 1.5: b 7 2.000000001: sched:sched_switch: x"),
				     &sample));
	assert_true(span_equals(sample.command, "a 1.5: b"));
	assert_int_equal(sample.ns, 2000000001);
	assert_true(sample.period == 1);
	assert_false(perf_read_sample(span_of("\tffff f+0x1 (a)"), &sample));
	assert_false(perf_read_sample(span_of("a b 1.5: cycles:"), &sample));
	assert_false(perf_read_sample(span_of(""), &sample));
}

static void test_frames_of_perf(void **state)
{
	static const struct {
		const char *line, *symbol, *module;
	} cases[] = {
		{"\t7f12 fib+0x12 (/usr/bin/app)", "fib", "/usr/bin/app"},
		{"  1 operator()(int) const+0x5 (/x (deleted))", "operator()(int) const",
		 "/x (deleted)"},
		{"0 g (inlined)", "g", ""},
		{"ffff [unknown] ([kernel.kallsyms])", "[unknown]", "[kernel.kallsyms]"},
		{"12 a+0x1 (/b (c) d)", "a", "/b (c) d"},
		{"12 a+b (m)", "a+b", "m"},
		{"12", "12", ""},
	};
	struct perf_frame frame;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(perf_read_frame(span_of(cases[i].line), &frame));
		assert_true(span_equals(frame.symbol, cases[i].symbol));
		assert_true(span_equals(frame.module, cases[i].module));
	}
	assert_false(perf_read_frame(span_of("  file.c:12"), &frame));
	assert_false(perf_read_frame(span_of(""), &frame));
}

static void test_formats_are_told_apart(void **state)
{
	static const struct {
		const char *format;
		const char *text;
	} cases[] = {
		{"pstats", "{(\3"},
		{"speedscope",
		 " {\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"}"},
		{"speedscope", "{\"version\":1,\"shared\":{\"frames\":[]}}"},
		{"chrome", "[{\"name\":\"a\",\"ph\":\"X\"}"},
		{"chrome", "\n{\"traceEvents\":[]}"},
		{"callgrind", "# callgrind format\n"},
		{"callgrind", "version: 1\nevents: Ir\nfl=a\nfn=main\n1 2\n"},
		{"perf", "# ========\na 1 2.5: 1 cycles: \n"},
		{"collapsed", "main;a.b(c) 1.5: 3\n"},
		{"collapsed", "# austin: 3.7.0\nP1;T2;a.py:f:3 12\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct import_source source =
			import_source_bytes("x", cases[i].text, strlen(cases[i].text));
		const struct importer *importer = importer_detect(&source);

		assert_non_null(importer);
		assert_string_equal(importer->name, cases[i].format);
	}
}

static void test_what_is_no_profile(void **state)
{
	static const char *const texts[] = {"",	    "words only", "{}",		 "[]",
					    "\n\n", "# 1\n",	  "{\"a\": 3}\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct import_source source = import_source_bytes("x", texts[i], strlen(texts[i]));

		assert_null(importer_detect(&source));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_frames_of_austin),
		cmocka_unit_test(test_samples_of_perf),
		cmocka_unit_test(test_frames_of_perf),
		cmocka_unit_test(test_formats_are_told_apart),
		cmocka_unit_test(test_what_is_no_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
