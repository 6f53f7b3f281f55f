/* What a thread did as slices on the clock of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/recording/recording_open.h"
#include "synthetic.h"
#include "view/timeline/slices.h"

static void test_clocks_far_apart(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_TRACE);
	struct recording *recording;
	struct slice_clock clock;

	(void)state;
	synthetic_thread(synthetic, KYMO_NO_THREAD, NULL, 0);
	synthetic_close(synthetic, 1000);
	recording = synthetic_open(synthetic);
	clock = slice_clock_of(recording, SYNTHETIC_START_REALTIME - 5000);
	assert_int_equal(slice_clock_ns(&clock, SYNTHETIC_START_TICKS + 7), 5007);
	/* Of another age, or from before the run: it begins with the run. */
	clock = slice_clock_of(recording, 1000);
	assert_int_equal(slice_clock_ns(&clock, SYNTHETIC_START_TICKS + 7), 7);
	clock = slice_clock_of(recording, SYNTHETIC_START_REALTIME + 1);
	assert_int_equal(slice_clock_ns(&clock, SYNTHETIC_START_TICKS + 7), 7);
	assert_int_equal(slice_clock_ns(&clock, 0), 0);
	assert_int_equal(slice_clock_ns(&clock, UINT64_MAX), SLICES_NS_MAX);
	recording_free(recording);
	synthetic_free(synthetic);
}

struct seen { /* what was given out, a line each */
	char text[1024];
	size_t length;
};

static void say(struct seen *seen, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	seen->length += (size_t)vsnprintf(seen->text + seen->length,
					  sizeof(seen->text) - seen->length, format, arguments);
	va_end(arguments);
	assert_true(seen->length < sizeof(seen->text));
}

static void on_slice(void *context, uint64_t start_ns, uint64_t end_ns, uint32_t depth,
		     uint32_t region)
{
	say(context, "%" PRIu64 "-%" PRIu64 " depth %u region %u\n", start_ns, end_ns, depth,
	    region);
}

static void on_instant(void *context, uint64_t ns, uint32_t region)
{
	say(context, "%" PRIu64 " instant %u\n", ns, region);
}

static void on_lost(void *context, uint64_t start_ns, uint64_t end_ns, uint64_t count)
{
	say(context, "%" PRIu64 "-%" PRIu64 " lost %" PRIu64 "\n", start_ns, end_ns, count);
}

static void on_message(void *context, uint64_t ns, const struct trace_event *event)
{
	say(context, "%" PRIu64 " %s %" PRIu64 "\n", ns,
	    event->kind == TRACE_SEND ? "send" : "receive", event->value);
}

static void expect_slices(struct synthetic *synthetic, const struct slice_sink *how,
			  const char *expected)
{
	struct recording *recording = synthetic_open(synthetic);
	struct slice_clock clock = slice_clock_of(recording, SYNTHETIC_START_REALTIME);
	struct slice_sink sink = *how;
	struct seen seen = {.length = 0};

	sink.context = &seen;
	slices_of_trace(&clock, 0, &sink);
	assert_string_equal(seen.text, expected);
	recording_free(recording);
	synthetic_free(synthetic);
}

static struct synthetic *traced(void)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_TRACE);

	synthetic_region(synthetic, KYMO_REGION_PYTHON, "a");
	synthetic_region(synthetic, KYMO_REGION_PYTHON, "b");
	synthetic_thread(synthetic, KYMO_NO_THREAD, NULL, 0);
	return synthetic;
}

static void test_inner_slices_come_first(void **state)
{
	static const struct slice_sink sink = {.slice = on_slice};
	struct synthetic *synthetic = traced();

	(void)state;
	synthetic_enter(synthetic, 0, 1, 100);
	synthetic_enter(synthetic, 0, 2, 200);
	synthetic_leave(synthetic, 0, 2, 300);
	synthetic_enter(synthetic, 0, 2, 300);
	synthetic_leave(synthetic, 0, 2, 350);
	synthetic_leave(synthetic, 0, 1, 400);
	synthetic_close(synthetic, 500);
	expect_slices(synthetic, &sink,
		      "200-300 depth 1 region 2\n"
		      "300-350 depth 1 region 2\n"
		      "100-400 depth 0 region 1\n");
}

static void test_other_events_go_to_who_wants_them(void **state)
{
	static const struct slice_sink all = {NULL, on_slice, on_instant, on_lost, on_message},
				       slices = {.slice = on_slice};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct synthetic *synthetic = traced();

		synthetic_enter(synthetic, 0, 1, 100);
		synthetic_extended(synthetic, 0, KYMO_EXTENDED_INSTANT, 150, 2);
		synthetic_extended(synthetic, 0, KYMO_EXTENDED_LOST, 250, 7);
		synthetic_extended_pair(synthetic, 0, KYMO_EXTENDED_SEND, 260, 2, 5);
		synthetic_extended_pair(synthetic, 0, KYMO_EXTENDED_RECEIVE, 270, 2, 5);
		synthetic_leave(synthetic, 0, 1, 400);
		synthetic_close(synthetic, 500);
		expect_slices(synthetic, i ? &slices : &all,
			      i ? "100-400 depth 0 region 1\n"
				: "150 instant 2\n150-250 lost 7\n260 send 5\n270 receive 5\n"
				  "100-400 depth 0 region 1\n");
	}
}

static void test_times_never_go_back(void **state)
{
	static const struct slice_sink sink = {.slice = on_slice};
	struct synthetic *synthetic = traced();

	(void)state;
	synthetic_event(synthetic, 0, KYMO_EVENT_ENTER, 1, 300, 0);
	synthetic_event(synthetic, 0, KYMO_EVENT_ENTER, 2, 200, 0);
	synthetic_event(synthetic, 0, KYMO_EVENT_LEAVE, 2, 250, 0);
	synthetic_event(synthetic, 0, KYMO_EVENT_LEAVE, 1, 400, 0);
	synthetic_close(synthetic, 500);
	expect_slices(synthetic, &sink, "300-300 depth 1 region 2\n300-400 depth 0 region 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks_far_apart),
		cmocka_unit_test(test_inner_slices_come_first),
		cmocka_unit_test(test_other_events_go_to_who_wants_them),
		cmocka_unit_test(test_times_never_go_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
