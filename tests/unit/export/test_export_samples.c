/* What exporters make of samples: stacks, slices that last as long as what they have in
 * common, tracks, and which of a recording's data is shown. */
#include "export/export_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exported.h"
#include "model/recording/recording_open.h"

#define UNIT 1024u

struct example {
	struct synthetic *made;
	uint32_t thread;
	uint32_t main, work, rest; /* stacks: main, main > work, main > rest */
};

static uint64_t python(uint32_t code)
{
	return kymo_frame(KYMO_FRAME_PYTHON, (uint64_t)code << 32 | KYMO_FRAME_NO_OFFSET);
}

static struct example example_new(uint32_t flags)
{
	struct example example = {.made = synthetic_new(flags | KYMO_HEADER_SAMPLES)};
	uint32_t main = synthetic_code(example.made, "main", "/home/u/a.py", 3);
	uint32_t work = synthetic_code(example.made, "work", "/home/u/a.py", 10);
	uint32_t rest = synthetic_code(example.made, "rest", "/home/u/b.py", 20);

	example.thread = synthetic_thread(example.made, KYMO_NO_THREAD, "Main", 0);
	example.main = synthetic_stack(example.made, example.thread, 0, python(main));
	example.work = synthetic_stack(example.made, example.thread, example.main, python(work));
	example.rest = synthetic_stack(example.made, example.thread, example.main, python(rest));
	return example;
}

static void sample(const struct example *example, enum kymo_sample_kind kind,
		   enum kymo_gil_state gil, uint64_t units, uint32_t stack)
{
	synthetic_sample(example->made, example->thread, kind, gil, units * UNIT, stack,
			 SYNTHETIC_NONE, kind == KYMO_SAMPLE_OVERFLOW ? 5000 : SYNTHETIC_NONE);
}

static void realtime(const struct example *example, uint64_t units, uint32_t stack)
{
	sample(example, KYMO_SAMPLE_REALTIME, KYMO_GIL_UNKNOWN, units, stack);
}

static struct example ordinary(uint32_t flags)
{
	struct example example = example_new(flags);

	sample(&example, KYMO_SAMPLE_BEGIN, KYMO_GIL_UNKNOWN, 100, 0);
	realtime(&example, 110, example.work);
	realtime(&example, 120, example.work);
	realtime(&example, 130, example.rest);
	realtime(&example, 140, example.main);
	return example;
}

struct drawn {
	const struct recording *recording;
	uint64_t start;
	char text[4096];
	size_t length;
};

static void draw(struct drawn *drawn, const char *what, uint64_t ticks)
{
	drawn->length += (size_t)snprintf(drawn->text + drawn->length,
					  sizeof(drawn->text) - drawn->length, "%llu%s ",
					  (unsigned long long)(ticks - drawn->start) / UNIT, what);
}

static void draw_begin(void *context, uint32_t region, uint64_t ticks)
{
	struct drawn *drawn = context;
	char what[64];

	snprintf(what, sizeof(what), "(%s", drawn->recording->regions[region].name);
	draw(drawn, what, ticks);
}

static void draw_end(void *context, uint64_t ticks)
{
	draw(context, ")", ticks);
}

static void assert_drawn(const struct example *example, enum sample_track track,
			 const char *expected)
{
	struct recording *recording = synthetic_open(example->made);
	struct run run = {.path = (char[]){"run"}, .recordings = &recording, .recording_count = 1};
	struct export_options options = EXPORT_OPTIONS_DEFAULT;
	struct drawn drawn = {.recording = recording, .start = SYNTHETIC_START_TICKS};
	struct sample_slices slices = {draw_begin, draw_end, &drawn};
	struct run_samples samples;

	assert_int_equal(run_samples_open(&samples, &run, &options, false, NULL), KYMO_OK);
	if (*expected)
		assert_true(samples_has_track(&samples.items[0], example->thread, track));
	else
		assert_false(samples_has_track(&samples.items[0], example->thread, track));
	if (*expected)
		samples_each_slice(&samples.items[0], example->thread, track, NULL, &slices);
	assert_string_equal(drawn.text, expected);
	run_samples_close(&samples);
	recording_free(recording);
}

static void test_what_samples_share_is_one_slice(void **state)
{
	struct example example = ordinary(0);

	(void)state;
	assert_drawn(&example, SAMPLE_TRACK_WALL,
		     "100(samples [kymo] 100(main 100(work 120) 120(rest 130) 140) 140) ");
	assert_drawn(&example, SAMPLE_TRACK_CPU, "");
	assert_drawn(&example, SAMPLE_TRACK_OVERFLOW, "");
	assert_drawn(&example, SAMPLE_TRACK_GIL, "");
	synthetic_free(example.made);
}

static void test_a_pause_is_a_gap(void **state)
{
	struct example example = ordinary(0);

	(void)state;
	sample(&example, KYMO_SAMPLE_BEGIN, KYMO_GIL_UNKNOWN, 200, 0);
	realtime(&example, 210, example.main);
	assert_drawn(&example, SAMPLE_TRACK_WALL,
		     "100(samples [kymo] 100(main 100(work 120) 120(rest 130) 140) 140) "
		     "200(samples [kymo] 200(main 210) 210) ");
	synthetic_free(example.made);
}

/* Both clocks, events and the GIL: a track each. */
static void test_tracks(void **state)
{
	struct example example = example_new(0);

	(void)state;
	sample(&example, KYMO_SAMPLE_BEGIN, KYMO_GIL_UNKNOWN, 100, 0);
	sample(&example, KYMO_SAMPLE_REALTIME, KYMO_GIL_HELD, 110, example.work);
	sample(&example, KYMO_SAMPLE_CPUTIME, KYMO_GIL_HELD, 115, example.rest);
	sample(&example, KYMO_SAMPLE_REALTIME, KYMO_GIL_HELD, 120, example.rest);
	sample(&example, KYMO_SAMPLE_OVERFLOW, KYMO_GIL_UNKNOWN, 125, example.main);
	sample(&example, KYMO_SAMPLE_REALTIME, KYMO_GIL_WAITED_FOR, 130, example.rest);
	sample(&example, KYMO_SAMPLE_REALTIME, KYMO_GIL_NOT_HELD, 140, example.rest);
	assert_drawn(&example, SAMPLE_TRACK_WALL,
		     "100(samples [kymo] 100(main 100(work 110) 110(rest "
		     "120([waits for the GIL] 130) 140) 140) 140) ");
	assert_drawn(&example, SAMPLE_TRACK_CPU,
		     "100(samples [kymo] 100(main 100(rest 115) 115) 115) ");
	assert_drawn(&example, SAMPLE_TRACK_OVERFLOW, "100(samples [kymo] 100(main 125) 125) ");
	assert_drawn(&example, SAMPLE_TRACK_GIL, "100(GIL held 120) 120(GIL waited for 130) ");
	synthetic_free(example.made);
}

static void test_cpu_time_alone_is_on_the_first_track(void **state)
{
	struct example example = example_new(0);

	(void)state;
	sample(&example, KYMO_SAMPLE_BEGIN, KYMO_GIL_UNKNOWN, 100, 0);
	sample(&example, KYMO_SAMPLE_CPUTIME, KYMO_GIL_UNKNOWN, 115, example.main);
	assert_drawn(&example, SAMPLE_TRACK_WALL, "100(samples [kymo] 100(main 115) 115) ");
	assert_drawn(&example, SAMPLE_TRACK_CPU, "");
	synthetic_free(example.made);
}

static void assert_contains(const char *format, const struct example *example,
			    const struct export_options *options, const char *expected)
{
	char *text = exported_text(format, example->made, options);

	if (!strstr(text, expected))
		print_error("no '%s' in:\n%s\n", expected, text);
	assert_non_null(strstr(text, expected));
	free(text);
}

static void test_collapsed(void **state)
{
	struct example example = ordinary(0);
	char *text = exported_text("collapsed", example.made, NULL);

	(void)state;
	/* 20, 10 and 10 units, in whole microseconds. */
	assert_string_equal(text, "main (a.py:3) 10\n"
				  "main (a.py:3);work (a.py:10) 21\n"
				  "main (a.py:3);rest (b.py:20) 10\n");
	free(text);
	synthetic_free(example.made);
}

static void test_speedscope_is_in_the_order_of_time(void **state)
{
	struct example example = ordinary(0);

	(void)state;
	realtime(&example, 150, example.work);
	assert_contains("speedscope", &example, NULL,
			"{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"startValue\":0,"
			"\"name\":\"Main\",\"samples\":[[");
	assert_contains("speedscope", &example, NULL,
			"\"weights\":[20480,10240,10240,10240],\"endValue\":51200}");
	synthetic_free(example.made);
}

static void test_events_weigh_where_there_is_no_clock(void **state)
{
	struct example example = example_new(0);

	(void)state;
	sample(&example, KYMO_SAMPLE_BEGIN, KYMO_GIL_UNKNOWN, 100, 0);
	sample(&example, KYMO_SAMPLE_OVERFLOW, KYMO_GIL_UNKNOWN, 125, example.main);
	sample(&example, KYMO_SAMPLE_OVERFLOW, KYMO_GIL_UNKNOWN, 145, example.main);
	assert_contains("speedscope", &example, NULL, "\"unit\":\"none\"");
	assert_contains("speedscope", &example, NULL, "\"weights\":[10000],");
	assert_contains("collapsed", &example, NULL, "main (a.py:3) 10000\n");
	synthetic_free(example.made);
}

static void test_chrome_has_a_row_for_samples(void **state)
{
	struct example example = ordinary(0);

	(void)state;
	assert_contains("chrome", &example, NULL, "\"args\":{\"name\":\"Thread 0 (S) ");
	assert_contains("chrome", &example, NULL,
			"\"ts\":102.400,\"name\":\"work\",\"cat\":\"python\","
			"\"args\":{\"file\":\"/home/u/a.py\",\"line\":10}}");
	synthetic_free(example.made);
}

static void test_calls_come_first_unless_samples_are_preferred(void **state)
{
	struct export_options options = EXPORT_OPTIONS_DEFAULT;
	struct example example = ordinary(KYMO_HEADER_PROFILE);
	uint32_t called = synthetic_region(example.made, KYMO_REGION_PYTHON, "called");
	char *text;

	(void)state;
	synthetic_enter(example.made, example.thread, called, 5000);
	synthetic_leave(example.made, example.thread, called, 12000);
	text = exported_text("collapsed", example.made, NULL);
	assert_string_equal(text, "called 7\n");
	free(text);
	options.prefers_samples = true;
	text = exported_text("collapsed", example.made, &options);
	assert_non_null(strstr(text, "main (a.py:3);work (a.py:10) 21\n"));
	assert_null(strstr(text, "called"));
	free(text);
	synthetic_free(example.made);
}

static void test_filter_leaves_time_with_callers(void **state)
{
	struct export_options options = EXPORT_OPTIONS_DEFAULT;
	struct example example = ordinary(0);
	char *text;

	(void)state;
	options.filter = "^(main|rest)$";
	text = exported_text("collapsed", example.made, &options);
	assert_string_equal(text, "main (a.py:3) 31\nmain (a.py:3);rest (b.py:20) 10\n");
	free(text);
	synthetic_free(example.made);
}

/* Frames beyond the limit are left out from the inside, with the time they had. */
static void test_deep_stacks_are_cut(void **state)
{
	struct example example = example_new(0);
	uint32_t stack = example.main, frames = 0;
	char *text;

	(void)state;
	for (uint32_t i = 0; i < 2 * SAMPLE_PATH_MAX; i++)
		stack = synthetic_stack(example.made, example.thread, stack, python(1));
	sample(&example, KYMO_SAMPLE_BEGIN, KYMO_GIL_UNKNOWN, 100, 0);
	realtime(&example, 110, stack);
	text = exported_text("speedscope", example.made, NULL);
	for (const char *at = strstr(text, "\"samples\":[["); *at != ']'; at++)
		frames += *at == ',' || *at == '[';
	assert_int_equal(frames - 1, SAMPLE_PATH_MAX);
	assert_non_null(strstr(text, "\"weights\":[10240]"));
	free(text);
	synthetic_free(example.made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_samples_share_is_one_slice),
		cmocka_unit_test(test_a_pause_is_a_gap),
		cmocka_unit_test(test_tracks),
		cmocka_unit_test(test_cpu_time_alone_is_on_the_first_track),
		cmocka_unit_test(test_collapsed),
		cmocka_unit_test(test_speedscope_is_in_the_order_of_time),
		cmocka_unit_test(test_events_weigh_where_there_is_no_clock),
		cmocka_unit_test(test_chrome_has_a_row_for_samples),
		cmocka_unit_test(test_calls_come_first_unless_samples_are_preferred),
		cmocka_unit_test(test_filter_leaves_time_with_callers),
		cmocka_unit_test(test_deep_stacks_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
