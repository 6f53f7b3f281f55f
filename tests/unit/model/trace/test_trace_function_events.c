/* Calls of instrumented functions in the trace, between all other events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/gateword.h"
#include "model/recording/recording.h"
#include "model/recording/recording_open.h"
#include "model/trace/trace_cursor.h"
#include "synthetic_functions.h"

#define START 0x1000u

struct trace {
	struct synthetic *synthetic;
	struct function_events_bytes pairs;
	uint32_t a, b, thread;
};

/* Functions 16 and 17, one that jumps on to others, one whose ends are not seen: they are called
 * by their addresses, "f0x10" … "f0x40". */
enum { F = 16, G, JUMPS, BLIND };

static struct trace trace_new(void)
{
	static const struct kymo_function_range places[] = {
		{0x10, 16 | KYMO_FUNCTION_TAKEN},
		{0x20, 16 | KYMO_FUNCTION_TAKEN},
		{0x30, 16 | KYMO_FUNCTION_TAKEN | KYMO_FUNCTION_TAIL_CALLS},
		{0x40, 16 | KYMO_FUNCTION_TAKEN | KYMO_FUNCTION_NO_EXIT},
	};
	struct trace trace = {.synthetic = synthetic_new(KYMO_HEADER_TRACE)};

	trace.a = synthetic_region(trace.synthetic, KYMO_REGION_USER, "A");
	trace.b = synthetic_region(trace.synthetic, KYMO_REGION_USER, "B");
	trace.thread = synthetic_thread(trace.synthetic, KYMO_NO_THREAD, NULL, 0);
	synthetic_module(trace.synthetic, "/nowhere/f", NULL, START, 2 * START, START);
	synthetic_functions(trace.synthetic, START, F, PATCH_COST_FULL, places, 4);
	function_events_begin(&trace.pairs, 0);
	return trace;
}

static void add(struct trace *trace, enum kymo_event_kind kind, uint32_t region, uint64_t time)
{
	synthetic_event(trace->synthetic, trace->thread, kind, region, time, 0);
}

static void describe(const struct recording *recording, const struct trace_event *event, char *text,
		     size_t size)
{
	static const char signs[] = {
		[TRACE_ENTER] = '+', [TRACE_LEAVE] = '-', [TRACE_UNWIND] = '!', [TRACE_LOST] = '?'};
	const char *name = recording->regions[event->region].name;
	size_t used = strlen(text);

	if (strncmp(name, "f+0x", 4) == 0)
		name += 4;
	snprintf(text + used, size - used, "%s%c%s@%lld%s", used ? " " : "", signs[event->kind],
		 event->kind == TRACE_LOST ? "" : name,
		 (long long)recording_ns(recording, event->ticks), event->is_synthetic ? "*" : "");
}

static void assert_events_but(struct trace *trace, const char *expected, uint64_t dropped)
{
	struct recording *recording;
	struct trace_cursor *cursor;
	struct trace_event event;
	struct trace_value value;
	char text[1000] = "";

	function_events_put(&trace->pairs, trace->synthetic, trace->thread);
	synthetic_header(trace->synthetic)->state = KYMO_STATE_CLOSED;
	synthetic_header(trace->synthetic)->end_ticks = SYNTHETIC_START_TICKS + 99;
	recording = synthetic_open(trace->synthetic);
	assert_int_equal(trace_cursor_new(recording, trace->thread, &cursor), KYMO_OK);
	while (trace_cursor_next(cursor, &event)) {
		describe(recording, &event, text, sizeof(text));
		while (trace_cursor_value(cursor, &value))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "(%s)",
				 value.name);
	}
	assert_string_equal(text, expected);
	assert_int_equal(trace_cursor_dropped(cursor), dropped);
	assert_true(recording_has_trace(recording));
	trace_cursor_free(cursor);
	recording_free(recording);
	synthetic_free(trace->synthetic);
}

static void assert_events(struct trace *trace, const char *expected)
{
	assert_events_but(trace, expected, 0);
}

static void test_functions_alone(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	function_events_enter(&trace.pairs, F, 0x800, 10);
	function_events_enter(&trace.pairs, G, 0x700, 20);
	function_events_exit(&trace.pairs, 0x700, 30);
	function_events_enter(&trace.pairs, BLIND, 0x700, 35);
	function_events_exit(&trace.pairs, 0x800, 40);
	assert_events(&trace, "+10@10 +20@20 -20@30 +40@35 -40@35 -10@40");
}

static void test_between_events(void **state)
{
	struct trace trace = trace_new();
	uint64_t name = synthetic_string(trace.synthetic, "v");

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 5);
	synthetic_extended_pair(trace.synthetic, trace.thread, KYMO_EXTENDED_VALUE, 0,
				name | (uint64_t)KYMO_VALUE_SIGNED << 56, 7);
	function_events_enter(&trace.pairs, F, 0x800, 10);
	add(&trace, KYMO_EVENT_ENTER, trace.b, 15);
	synthetic_extended_pair(trace.synthetic, trace.thread, KYMO_EXTENDED_VALUE, 0,
				name | (uint64_t)KYMO_VALUE_SIGNED << 56, 8);
	function_events_enter(&trace.pairs, G, 0x700, 20);
	function_events_exit(&trace.pairs, 0x700, 30);
	add(&trace, KYMO_EVENT_LEAVE, trace.b, 35);
	function_events_exit(&trace.pairs, 0x800, 40);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 45);
	assert_events(&trace, "+A@5(v) +10@10 +B@15(v) +20@20 -20@30 -B@35 -10@40 -A@45");
}

/* F was jumped out of, over a region; B ends although G inside of it was jumped out of. */
static void test_jumps_over_each_other(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	function_events_enter(&trace.pairs, F, 0x800, 10);
	function_events_enter(&trace.pairs, F, 0x700, 20);
	add(&trace, KYMO_EVENT_ENTER, trace.a, 25);
	function_events_enter(&trace.pairs, G, 0x600, 30);
	function_events_enter(&trace.pairs, G, 0x700, 40); /* where F was */
	function_events_exit(&trace.pairs, 0x700, 50);
	add(&trace, KYMO_EVENT_ENTER, trace.b, 55);
	function_events_enter(&trace.pairs, G, 0x700, 60);
	add(&trace, KYMO_EVENT_LEAVE, trace.b, 65);
	function_events_exit(&trace.pairs, 0x800, 70);
	assert_events(&trace, "+10@10 +10@20 +A@25 +20@30 !20@40 -A@40* !10@40 +20@40 -20@50 "
			      "+B@55 +20@60 -20@65* -B@65 -10@70");
}

static void test_jumps_on(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	function_events_enter(&trace.pairs, F, 0x800, 10);
	function_events_enter(&trace.pairs, JUMPS, 0x700, 20);
	function_events_enter(&trace.pairs, G, 0x700, 30);
	function_events_exit(&trace.pairs, 0x700, 40);
	function_events_enter(&trace.pairs, JUMPS, 0x700, 50);
	function_events_enter(&trace.pairs, JUMPS, 0x700, 60);
	function_events_exit(&trace.pairs, 0x800, 70);
	assert_events(&trace, "+10@10 +30@20 +20@30 -20@40 -30@40 +30@50 -30@60 +30@60 !30@70 "
			      "-10@70");
}

static void test_marks(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 5);
	function_events_enter(&trace.pairs, F, 0x800, 10);
	function_events_put_mark(&trace.pairs, PATCH_MARK_OFF, 20);
	function_events_put_mark(&trace.pairs, PATCH_MARK_ON, 30);
	function_events_exit(&trace.pairs, 0x800, 40);
	function_events_enter(&trace.pairs, F, 0x800, 50);
	function_events_put_mark(&trace.pairs, PATCH_MARK_LOST, 60);
	function_events_enter(&trace.pairs, G, 0x800, 70);
	assert_events(&trace, "+A@5 +10@10 -10@20* +10@50 -10@60* ?@60 +20@70 -20@99* -A@99*");
}

/* It ends the chunk, and is one thing that was dropped, however much comes behind it. */
static void test_no_record(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	function_events_enter(&trace.pairs, F, 0x800, 10);
	function_events_put_mark(&trace.pairs, 9, 15); /* of no known kind */
	function_events_exit(&trace.pairs, 0x800, 20);
	add(&trace, KYMO_EVENT_ENTER, trace.a, 25);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 35);
	assert_events_but(&trace, "+10@10 +A@25 -A@35 -10@99*", 1);
}

static void test_stops_from_outside(void **state)
{
	struct trace trace = trace_new();
	struct kymo_header *header = synthetic_header(trace.synthetic);

	(void)state;
	gateword_change(header, KYMO_GATE_BY_CONTROL, true, SYNTHETIC_START_TICKS + 20);
	gateword_change(header, KYMO_GATE_BY_CONTROL, false, SYNTHETIC_START_TICKS + 30);
	function_events_enter(&trace.pairs, F, 0x800, 10);
	function_events_exit(&trace.pairs, 0x800, 40);
	function_events_enter(&trace.pairs, F, 0x800, 50);
	function_events_exit(&trace.pairs, 0x800, 60);
	assert_events(&trace, "+10@10 -10@20* +10@50 -10@60");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_alone),
		cmocka_unit_test(test_between_events),
		cmocka_unit_test(test_jumps_over_each_other),
		cmocka_unit_test(test_jumps_on),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_no_record),
		cmocka_unit_test(test_stops_from_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
