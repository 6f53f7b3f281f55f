/* Lines of perf script: samples, and frames of their stacks. */
#include "import/formats/perf_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "imported_fixture.h"
#include "import/text_lines.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_of_perf),
		cmocka_unit_test(test_frames_of_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
