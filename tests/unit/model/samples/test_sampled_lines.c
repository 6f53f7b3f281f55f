/* Lines of samples. */
#include "model/samples/sampled_tree.h"

#include "model/samples/sampled_lines.h"
#include "sampled_tables_fixture.h"

static struct sampled_lines *lines_of(struct sampled_fixture *sampled,
				      const struct sampled_options *options)
{
	struct sampled_lines *lines;

	if (!sampled->recording)
		open_samples(sampled);
	assert_int_equal(sampled_lines_new(sampled->recording, sampled->samples, options, &lines),
			 KYMO_OK);
	return lines;
}

static const struct sampled_line *line_named(const struct sampled_lines *lines,
					     const char *function, uint32_t line)
{
	for (size_t i = 0; i < lines->count; i++) {
		if (strcmp(lines->lines[i].function, function) == 0 && lines->lines[i].line == line)
			return &lines->lines[i];
	}
	fail_msg("no line %s:%u", function, line);
	return NULL;
}

/* Times in units. */
static void assert_line(const struct sampled_lines *lines, const char *function, uint32_t line,
			const double times[5])
{
	const struct sampled_line *found = line_named(lines, function, line);

	assert_float_equal(found->self_ns / UNIT, times[0], 1e-9);
	assert_float_equal(found->total_ns / UNIT, times[1], 1e-9);
	assert_float_equal(found->python_ns / UNIT, times[2], 1e-9);
	assert_float_equal(found->native_ns / UNIT, times[3], 1e-9);
	assert_float_equal(found->kernel_ns / UNIT, times[4], 1e-9);
}
#define LINE(...) ((const double[5]){__VA_ARGS__})

static void test_lines_split_their_time(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t f = code_of_lines(&sampled, "f", 10), g = code_of_lines(&sampled, "g", 20);
	uint64_t helper = native(INTERPRETER + 1), extension = native(EXTENSION + 1);
	struct sampled_lines *lines;

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 1, STACK(&sampled, python(f, 0)), SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 2, STACK(&sampled, python(f, 0), helper),
	    SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 4,
	    STACK(&sampled, python(f, 0), helper, native(LIBC + 1), kernel(230)), SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 8, STACK(&sampled, python(f, 0), extension),
	    SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 16,
	    STACK(&sampled, python(f, 2), extension, helper, python(g, 4)), SYNTHETIC_NONE);
	lines = lines_of(&sampled, &plain);
	assert_int_equal(lines->count, 4);
	assert_string_equal(lines->lines[0].function, "g");
	assert_string_equal(lines->lines[0].file, "/src/a.py");
	assert_true(lines->lines[0].is_python);
	assert_line(lines, "f", 10, LINE(15, 15, 1, 10, 0));
	assert_line(lines, "f", 11, LINE(0, 16, 0, 0, 0));
	assert_line(lines, "g", 22, LINE(16, 16, 16, 0, 0));
	assert_line(lines, "_multiarray.so+0x1", 0, LINE(8, 24, 0, 8, 0));
	assert_false(line_named(lines, "_multiarray.so+0x1", 0)->is_python);
	assert_int_equal(line_named(lines, "f", 10)->count, 4);
	assert_float_equal(line_named(lines, "f", 10)->self.share, 15.0 / 31, 1e-9);
	assert_float_equal(line_named(lines, "f", 10)->wait_ns, 4 * UNIT, 1e-6);
	assert_float_equal(lines->total_ns, 31 * UNIT, 1e-6);
	assert_float_equal(lines->effective_count, 31.0 * 31 / (1 + 4 + 16 + 64 + 256), 1e-9);
	sampled_lines_free(lines);
	end(&sampled);
}

static void test_recursion_counts_once(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t f = code_of_lines(&sampled, "f", 10), g = code_of_lines(&sampled, "g", 20);
	struct sampled_lines *lines;

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 1,
	    STACK(&sampled, python(f, 2), python(g, 0), python(f, 2), python(f, 2)),
	    SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 2,
	    STACK(&sampled, python(f, 2), python(g, 0), python(g, 2)), SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 4, STACK(&sampled, python(f, 2)), SYNTHETIC_NONE);
	lines = lines_of(&sampled, &plain);
	assert_line(lines, "f", 11, LINE(5, 7, 5, 0, 0));
	assert_line(lines, "g", 20, LINE(0, 3, 0, 0, 0));
	assert_line(lines, "g", 21, LINE(2, 2, 2, 0, 0));
	sampled_lines_free(lines);
	end(&sampled);
}

/* Inclusive time of a line, the slow and certain way: sample by sample up its stack. */
static double total_of(const struct sampled_fixture *sampled, const struct sampled_line *line)
{
	double total = 0;

	for (uint32_t thread = 0; thread < 2; thread++) {
		struct sample_position position = {0};
		struct sample sample;

		while (samples_next(sampled->samples, thread, &position, &sample)) {
			uint64_t frame;
			uint32_t stack = sample.stack;
			bool is_in = false;

			while (samples_frame(sampled->samples, thread, stack, &frame, &stack)) {
				struct sample_code code;

				is_in |= kymo_frame_kind(frame) == KYMO_FRAME_PYTHON &&
					 samples_code(sampled->recording,
						      (uint32_t)(kymo_frame_content(frame) >> 32),
						      &code) &&
					 strcmp(code.name, line->function) == 0 &&
					 code.first_line == line->line;
			}
			if (is_in && sample.kind == KYMO_SAMPLE_REALTIME)
				total += sample.wall_ns;
		}
	}
	return total;
}

static void test_any_lines_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct sampled_fixture sampled =
			random_samples(seed * UINT64_C(0x9e3779b97f4a7c15));
		struct sampled_lines *lines = lines_of(&sampled, &plain);
		double self = 0;

		for (size_t i = 0; i < lines->count; i++) {
			const struct sampled_line *line = &lines->lines[i];

			assert_float_equal(line->python_ns + line->native_ns + line->kernel_ns +
						   line->wait_ns,
					   line->self_ns, 1e-3);
			assert_true(line->self_ns <= line->total_ns + 1e-3);
			assert_true(line->total_ns <= lines->total_ns + 1e-3);
			assert_true(line->self.low <= line->self.share &&
				    line->self.share <= line->self.high);
			assert_true(i == 0 || lines->lines[i - 1].self_ns >= line->self_ns);
			self += line->is_python ? line->self_ns : 0;
			if (line->is_python) /* without a line table: its first line */
				assert_float_equal(line->total_ns, total_of(&sampled, line), 1e-3);
		}
		assert_true(self <= lines->total_ns + 1e-3);
		assert_true(self > 0);
		sampled_lines_free(lines);
		end(&sampled);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_split_their_time),
		cmocka_unit_test(test_recursion_counts_once),
		cmocka_unit_test(test_any_lines_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
