/* Lines and threads of samples, and how sure their shares are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/samples/sampled_frames.h"
#include "sampled_fixture.h"

static struct sampled_lines *lines_of(struct sampled *sampled,
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
	struct sampled sampled = begin();
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
	struct sampled sampled = begin();
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
static double total_of(const struct sampled *sampled, const struct sampled_line *line)
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
		struct sampled sampled = random_samples(seed * UINT64_C(0x9e3779b97f4a7c15));
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

static struct sampled_thread thread_of(struct sampled *sampled)
{
	struct sampled_threads *threads;
	struct sampled_thread thread;

	open_samples(sampled);
	assert_int_equal(sampled_threads_new(sampled->recording, sampled->samples, &threads),
			 KYMO_OK);
	assert_int_equal(threads->count, 1);
	thread = threads->threads[0];
	sampled_threads_free(threads);
	return thread;
}

/* One sample of ten units for each, with the CPU time that was used. */
static const struct {
	uint64_t leaf;
	uint64_t cpu_units;
	enum sampled_class class;
} leaves[] = {
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(202) << 48 | 64, 0, SAMPLED_LOCK},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(202) << 48 | 64, 9, SAMPLED_LOCK},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(202) << 48 | 64, 10, SAMPLED_KERNEL},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(202) << 48, 0, SAMPLED_KERNEL}, /* wakes */
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(0) << 48, 4, SAMPLED_IO},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(0) << 48, 6, SAMPLED_KERNEL},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(0) << 48, SYNTHETIC_NONE, SAMPLED_IO},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(230) << 48, 0, SAMPLED_SLEEP},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(271) << 48, 0, SAMPLED_SLEEP},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(271) << 48 | UINT64_C(5) << 32, 0,
	 SAMPLED_NETWORK},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(23) << 48, 0, SAMPLED_SLEEP},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(61) << 48, 0, SAMPLED_CHILD},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(232) << 48, 0, SAMPLED_NETWORK},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(9) << 48, 0, SAMPLED_KERNEL},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(16383) << 48, 0, SAMPLED_KERNEL},
	{PROGRAM, 10, SAMPLED_NATIVE},
};

static void test_classes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
		struct sampled sampled = begin();
		struct sampled_thread thread;

		put(&sampled, KYMO_SAMPLE_REALTIME, 10,
		    STACK(&sampled, native(PROGRAM + 1), leaves[i].leaf), leaves[i].cpu_units);
		thread = thread_of(&sampled);
		/* Of what computed, what had no processor is runnable. */
		assert_float_equal(thread.class_ns[leaves[i].class] +
					   thread.class_ns[SAMPLED_RUNNABLE],
				   10 * UNIT, 1e-6);
		assert_true(leaves[i].class == SAMPLED_KERNEL ||
			    thread.class_ns[SAMPLED_RUNNABLE] == 0);
		end(&sampled);
	}
}

static void test_descriptors_tell_what_is_waited_for(void **state)
{
	static const enum sampled_class expected[] = {
		[KYMO_DESCRIPTOR_UNKNOWN] = SAMPLED_IO,	 [KYMO_DESCRIPTOR_FILE] = SAMPLED_IO,
		[KYMO_DESCRIPTOR_PIPE] = SAMPLED_IO,	 [KYMO_DESCRIPTOR_SOCKET] = SAMPLED_NETWORK,
		[KYMO_DESCRIPTOR_TERMINAL] = SAMPLED_IO, [KYMO_DESCRIPTOR_OTHER] = SAMPLED_OTHER,
	};

	(void)state;
	for (int kind = 0; kind <= KYMO_DESCRIPTOR_OTHER; kind++) {
		struct sampled sampled = begin();

		put(&sampled, KYMO_SAMPLE_REALTIME, 10,
		    STACK(&sampled, native(PROGRAM + 1),
			  descriptor(0, (enum kymo_descriptor_kind)kind)),
		    0);
		assert_float_equal(thread_of(&sampled).class_ns[expected[kind]], 10 * UNIT, 1e-6);
		end(&sampled);
	}
}

static void test_the_gil(void **state)
{
	struct sampled sampled = begin();
	uint32_t f = synthetic_code(sampled.synthetic, "f", "/src/a.py", 1);
	uint32_t works = STACK(&sampled, python(f, 0));
	uint32_t waits = STACK(&sampled, python(f, 0), native(LIBC + 1), kernel(202) | 0x2040);
	struct sampled_thread thread;

	(void)state;
	synthetic_sample(sampled.synthetic, 0, KYMO_SAMPLE_REALTIME, KYMO_GIL_HELD, 30 * UNIT,
			 works, 30 * UNIT, SYNTHETIC_NONE);
	synthetic_sample(sampled.synthetic, 0, KYMO_SAMPLE_REALTIME, KYMO_GIL_WAITED_FOR, 50 * UNIT,
			 waits, 0, SYNTHETIC_NONE);
	synthetic_sample(sampled.synthetic, 0, KYMO_SAMPLE_REALTIME, KYMO_GIL_NOT_HELD, 55 * UNIT,
			 waits, 0, SYNTHETIC_NONE);
	sampled.time = 55;
	thread = thread_of(&sampled);
	assert_float_equal(thread.gil_held_ns, 30 * UNIT, 1e-6);
	assert_float_equal(thread.gil_wait_ns, 20 * UNIT, 1e-6);
	assert_float_equal(thread.class_ns[SAMPLED_PYTHON], 30 * UNIT, 1e-6);
	assert_float_equal(thread.class_ns[SAMPLED_GIL], 20 * UNIT, 1e-6);
	assert_float_equal(thread.class_ns[SAMPLED_LOCK], 5 * UNIT, 1e-6);
	assert_float_equal(thread.wall_ns, 55 * UNIT, 1e-6);
	end(&sampled);
}

/* A thread that was found computing all the time and had a processor for a third of it; and
 * one that ran half of the time, which samples err about. */
static void test_without_a_processor(void **state)
{
	struct sampled crowded = begin(), alternating = begin();
	uint32_t works = STACK(&crowded, native(PROGRAM + 1)), waits;
	struct sampled_thread thread;

	(void)state;
	for (int i = 0; i < 100; i++)
		put(&crowded, KYMO_SAMPLE_REALTIME, 9, works, 3);
	thread = thread_of(&crowded);
	assert_float_equal(thread.class_ns[SAMPLED_NATIVE], 300 * UNIT, 1e-3);
	assert_float_equal(thread.class_ns[SAMPLED_RUNNABLE], 600 * UNIT, 1e-3);
	assert_float_equal(thread.cpu_ns, 300 * UNIT, 1e-3);
	end(&crowded);

	works = STACK(&alternating, native(PROGRAM + 1));
	waits = STACK(&alternating, native(PROGRAM + 1), kernel(230));
	for (int i = 0; i < 100; i++)
		put(&alternating, KYMO_SAMPLE_REALTIME, 10, i % 100 < 52 ? works : waits, 5);
	thread = thread_of(&alternating);
	assert_true(thread.class_ns[SAMPLED_RUNNABLE] == 0);
	assert_float_equal(thread.class_ns[SAMPLED_NATIVE], 520 * UNIT, 1e-3);
	assert_float_equal(thread.class_ns[SAMPLED_SLEEP], 480 * UNIT, 1e-3);
	end(&alternating);
}

static void test_any_threads_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct sampled sampled = random_samples(seed * UINT64_C(0x9e3779b97f4a7c15));
		struct sampled_threads *threads;

		open_samples(&sampled);
		assert_int_equal(sampled_threads_new(sampled.recording, sampled.samples, &threads),
				 KYMO_OK);
		assert_int_equal(threads->count, 2);
		for (size_t i = 0; i < threads->count; i++) {
			const struct sampled_thread *thread = &threads->threads[i];
			double sum = 0;

			for (int class = 0; class < SAMPLED_CLASSES; class ++) {
				assert_true(thread->class_ns[class] >= 0);
				sum += thread->class_ns[class];
			}
			assert_float_equal(sum, thread->wall_ns, 1e-3);
			assert_true(thread->gil_held_ns + thread->gil_wait_ns <=
				    thread->wall_ns + 1e-3);
		}
		sampled_threads_free(threads);
		end(&sampled);
	}
}

static void test_names_of_classes(void **state)
{
	(void)state;
	for (int class = 0; class < SAMPLED_CLASSES; class ++)
		assert_string_not_equal(sampled_class_name((enum sampled_class) class), "unknown");
	assert_string_equal(sampled_class_name(SAMPLED_CLASSES), "unknown");
}

static void test_whose_code_it_is(void **state)
{
	static const struct {
		const char *path, *function;
		enum sampled_origin origin;
	} cases[] = {
		{"/usr/bin/python3.11", "f", SAMPLED_FROM_INTERPRETER},
		{"/usr/bin/python", "main", SAMPLED_FROM_INTERPRETER},
		{"/usr/lib/libpython3.13t.so.1.0", "f", SAMPLED_FROM_INTERPRETER},
		{"/usr/bin/python3-dbg", "f", SAMPLED_FROM_INTERPRETER},
		{"/usr/bin/pythonic", "f", SAMPLED_FROM_PROGRAM},
		{"/opt/python3/bin/tool", "f", SAMPLED_FROM_PROGRAM},
		{"/lib/x86_64-linux-gnu/libc.so.6", "memcpy", SAMPLED_FROM_LIBC},
		{"/lib/libcrypto.so.3", "f", SAMPLED_FROM_PROGRAM},
		{"/lib/libm.so.6", "exp", SAMPLED_FROM_LIBC},
		{"/lib/libmvec.so.1", "f", SAMPLED_FROM_PROGRAM},
		{"/lib64/ld-linux-x86-64.so.2", "_dl_fixup", SAMPLED_FROM_LIBC},
		{"[vdso]", "clock_gettime", SAMPLED_FROM_LIBC},
		{"/usr/lib/libkymo-locks.so", "f", SAMPLED_FROM_KYMO},
		{"/site-packages/kymo/_native.cpython-311-x86_64-linux-gnu.so", "f",
		 SAMPLED_FROM_KYMO},
		{"/site-packages/other/_native.cpython-311.so", "f", SAMPLED_FROM_PROGRAM},
		{"/lib/libc.so.6", "__libc_start_main", SAMPLED_FROM_MAIN_START},
		{"/lib/libc.so.6", "clone3", SAMPLED_FROM_START},
		{"/lib/libc.so.6", "__restore_rt", SAMPLED_FROM_TRAMPOLINE},
		{NULL, "[unknown]", SAMPLED_FROM_PROGRAM},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(sampled_origin_of(cases[i].path, cases[i].function),
				 cases[i].origin);
}

static void test_what_executes_python(void **state)
{
	static const char *const evaluation[] = {
		"PyNumber_Add",	   "_PyLong_Add",    "long_mul",	 "unicode_subscript",
		"subtype_dealloc", "tupleiter_next", "PyObject_GetAttr", "_PyEval_FrameClearAndPop",
		"slot_nb_add"};
	static const char *const called[] = {
		"builtin_sorted",      "cfunction_vectorcall_O",
		"PyObject_Vectorcall", "_PyObject_MakeTpCall",
		"method_vectorcall",   "call_function",
		"list_sort",	       "PyImport_ImportModuleLevelObject",
		"math_sqrt",	       "libpython3.11.so.1.0+0x1234"};

	(void)state;
	for (size_t i = 0; i < sizeof(evaluation) / sizeof(evaluation[0]); i++)
		assert_true(sampled_is_evaluation(evaluation[i]));
	for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++)
		assert_false(sampled_is_evaluation(called[i]));
}

static void test_calls_by_their_functions(void **state)
{
	static const struct {
		const char *function;
		enum sampled_class class; /* SAMPLED_CLASSES = it is no wait */
	} cases[] = {
		{"read", SAMPLED_IO},
		{"__libc_read", SAMPLED_IO},
		{"__GI___read_nocancel", SAMPLED_IO},
		{"__pthread_cond_wait", SAMPLED_LOCK},
		{"pthread_cond_timedwait", SAMPLED_LOCK},
		{"__futex_abstimed_wait_common64", SAMPLED_LOCK},
		{"epoll_wait", SAMPLED_NETWORK},
		{"recv", SAMPLED_NETWORK},
		{"clock_nanosleep", SAMPLED_SLEEP},
		{"wait4", SAMPLED_CHILD},
		{"memcpy", SAMPLED_CLASSES},
		{"getpid", SAMPLED_CLASSES},
		{"reader", SAMPLED_CLASSES},
		{"rea", SAMPLED_CLASSES},
		{"__", SAMPLED_CLASSES},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sampled_call *call = sampled_call_named(cases[i].function);

		assert_int_equal(call ? call->class : SAMPLED_CLASSES, cases[i].class);
	}
	assert_string_equal(sampled_call_find(202)->name, "futex");
	assert_null(sampled_call_find(400)); /* between the two ranges that are used */
	assert_null(sampled_call_find(UINT32_MAX));
	assert_true(sampled_call_is_sleep(UINT64_C(271) << 48));
	assert_false(sampled_call_is_sleep(UINT64_C(271) << 48 | UINT64_C(1) << 32));
	assert_string_equal(sampled_call_find((uint32_t)(sampled_call_sleep() >> 48))->name,
			    "clock_nanosleep");
}

static void test_intervals(void **state)
{
	struct sampled_share half = sampled_interval(0.5, 100);

	(void)state;
	/* Wilson's interval as tables have it. */
	assert_float_equal(half.low, 0.4038315, 1e-5);
	assert_float_equal(half.high, 0.5961685, 1e-5);
	assert_true(sampled_interval(0, 10).low == 0);
	assert_float_equal(sampled_interval(0, 10).high, 0.2775402, 1e-5);
	assert_float_equal(sampled_interval(1, 10).low, 0.7224598, 1e-5);
	assert_true(sampled_interval(1, 10).high == 1);
	assert_true(sampled_interval(0.3, 0).low == 0 && sampled_interval(0.3, 0).high == 1);
	assert_true(sampled_interval(0.3, NAN).low == 0 && sampled_interval(0.3, NAN).high == 1);
	assert_true(sampled_interval(1.0000001, 1e6).share == 1);
	assert_true(sampled_interval(-1e-9, 1e6).low == 0);
	for (double n = 0.5; n < 1e9; n *= 3) {
		for (double share = 0; share <= 1; share += 1.0 / 64) {
			struct sampled_share interval = sampled_interval(share, n);

			assert_true(interval.low >= 0 && interval.high <= 1);
			assert_true(interval.low <= share && share <= interval.high);
		}
	}
}

/* The true share lies inside in at least 93 of 100 trials, of samples of equal weight and of
 * such that stand for different times. */
static void test_intervals_cover(void **state)
{
	static const double shares[] = {0.02, 0.1, 0.5, 0.8};
	enum { TRIALS = 4000, SAMPLES = 300 };
	uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);

	(void)state;
	for (int is_weighted = 0; is_weighted < 2; is_weighted++) {
		for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++) {
			int inside = 0;

			for (int trial = 0; trial < TRIALS; trial++) {
				double hit = 0, sum = 0, squares = 0;
				struct sampled_share interval;

				for (int i = 0; i < SAMPLES; i++) {
					double weight =
						is_weighted ? 1 + (double)(next_random(&seed) % 5)
							    : 1;
					double draw = (double)(next_random(&seed) >> 11) / 0x1p53;

					hit += draw < shares[k] ? weight : 0;
					sum += weight;
					squares += weight * weight;
				}
				interval = sampled_interval(hit / sum, sum * sum / squares);
				inside += interval.low <= shares[k] && shares[k] <= interval.high;
			}
			assert_true(inside >= TRIALS * 93 / 100);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_split_their_time),
		cmocka_unit_test(test_recursion_counts_once),
		cmocka_unit_test(test_any_lines_add_up),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_descriptors_tell_what_is_waited_for),
		cmocka_unit_test(test_the_gil),
		cmocka_unit_test(test_without_a_processor),
		cmocka_unit_test(test_any_threads_add_up),
		cmocka_unit_test(test_names_of_classes),
		cmocka_unit_test(test_whose_code_it_is),
		cmocka_unit_test(test_what_executes_python),
		cmocka_unit_test(test_calls_by_their_functions),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_intervals_cover),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
