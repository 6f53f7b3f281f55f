/* Events of a thread, streamed: every record kind, and balance whatever comes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/recording/recording.h"
#include "model/recording/recording_open.h"
#include "model/trace/trace_cursor.h"
#include "synthetic.h"

struct trace { /* a recording of one thread with regions "A", "B" and "C" */
	struct synthetic *synthetic;
	uint32_t a, b, c, thread;
};

static struct trace trace_new(void)
{
	struct trace trace = {.synthetic = synthetic_new(KYMO_HEADER_TRACE)};

	trace.a = synthetic_region(trace.synthetic, KYMO_REGION_PYTHON, "A");
	trace.b = synthetic_region(trace.synthetic, KYMO_REGION_PYTHON, "B");
	trace.c = synthetic_region(trace.synthetic, KYMO_REGION_PYTHON, "C");
	trace.thread = synthetic_thread(trace.synthetic, KYMO_NO_THREAD, NULL, 0);
	return trace;
}

static void add(struct trace *trace, enum kymo_event_kind kind, uint32_t region, uint64_t time)
{
	synthetic_event(trace->synthetic, trace->thread, kind, region, time, 0);
}

/* "+A@1" enter, "-A@2" leave, "!A@2" unwind, ".A@3" instant, "?5@3" lost, with "*" when
 * made by the reader; blanks between. */
static void describe(const struct recording *recording, const struct trace_event *event, char *text,
		     size_t size)
{
	static const char signs[] = {
		[TRACE_ENTER] = '+',   [TRACE_LEAVE] = '-', [TRACE_UNWIND] = '!',
		[TRACE_INSTANT] = '.', [TRACE_LOST] = '?',  [TRACE_SEND] = '>',
		[TRACE_RECEIVE] = '<',
	};
	size_t used = strlen(text);
	char what[24];

	snprintf(what, sizeof(what), "%llu", (unsigned long long)event->value);
	snprintf(text + used, size - used, "%s%c%s@%lld%s", used ? " " : "", signs[event->kind],
		 event->kind == TRACE_LOST ? what : recording->regions[event->region].name,
		 (long long)recording_ns(recording, event->ticks), event->is_synthetic ? "*" : "");
}

static void assert_events_dropping(struct trace *trace, const char *expected, uint64_t dropped)
{
	struct recording *recording = synthetic_open(trace->synthetic);
	struct trace_cursor *cursor;
	struct trace_event event;
	char text[1000] = "";

	assert_int_equal(trace_cursor_new(recording, trace->thread, &cursor), KYMO_OK);
	while (trace_cursor_next(cursor, &event))
		describe(recording, &event, text, sizeof(text));
	assert_false(trace_cursor_next(cursor, &event));
	assert_string_equal(text, expected);
	assert_int_equal(trace_cursor_dropped(cursor), dropped);
	trace_cursor_free(cursor);
	recording_free(recording);
	synthetic_free(trace->synthetic);
}

static void assert_events(struct trace *trace, const char *expected)
{
	assert_events_dropping(trace, expected, 0);
}

static void test_balanced_trace_comes_as_it_is(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.b, 2);
	add(&trace, KYMO_EVENT_UNWIND, trace.b, 3);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 4);
	assert_events(&trace, "+A@1 +B@2 !B@3 -A@4");
}

static void test_thread_without_events(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	assert_events(&trace, "");
}

static void test_open_regions_are_closed_at_the_end(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.b, 2);
	synthetic_thread_at(trace.synthetic, trace.thread)->end_ticks = SYNTHETIC_START_TICKS + 9;
	assert_events(&trace, "+A@1 +B@2 -B@9* -A@9*");
}

static void test_leave_of_outer_closes_inner(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.b, 2);
	add(&trace, KYMO_EVENT_ENTER, trace.c, 3);
	add(&trace, KYMO_EVENT_UNWIND, trace.a, 4);
	assert_events(&trace, "+A@1 +B@2 +C@3 -C@4* -B@4* !A@4");
}

static void test_leave_matches_the_innermost(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.a, 2);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 3);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 4);
	assert_events(&trace, "+A@1 +A@2 -A@3 -A@4");
}

static void test_leave_without_enter_is_dropped(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_LEAVE, trace.b, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.a, 2);
	add(&trace, KYMO_EVENT_LEAVE, trace.b, 3);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 4);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 5);
	assert_events_dropping(&trace, "+A@2 -A@4", 3);
}

static void test_unknown_regions_are_dropped(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, 4, 1);
	add(&trace, KYMO_EVENT_LEAVE, 4, 2);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_ENTER, 3, UINT64_MAX);
	assert_events_dropping(&trace, "", 3);
}

static void test_unwind_all(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_UNWIND_ALL, 1, 0);
	add(&trace, KYMO_EVENT_ENTER, trace.a, 2);
	add(&trace, KYMO_EVENT_ENTER, trace.b, 3);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_UNWIND_ALL, 4, 0);
	add(&trace, KYMO_EVENT_ENTER, trace.c, 5);
	add(&trace, KYMO_EVENT_LEAVE, trace.c, 6);
	assert_events(&trace, "+A@2 +B@3 -B@4* -A@4* +C@5 -C@6");
}

static void test_unwind_inside_of_a_region(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.b, 2);
	add(&trace, KYMO_EVENT_ENTER, trace.c, 3);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_UNWIND_ALL, 4, trace.a);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_UNWIND_ALL, 5, trace.a);
	/* One that is not open keeps nothing, nor does one that does not exist. */
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_UNWIND_ALL, 6, trace.b);
	add(&trace, KYMO_EVENT_ENTER, trace.c, 7);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_UNWIND_ALL, 8, UINT64_MAX);
	assert_events(&trace, "+A@1 +B@2 +C@3 -C@4* -B@4* -A@6* +C@7 -C@8*");
}

static void test_time_never_goes_back(void **state)
{
	struct trace trace = trace_new();
	const uint64_t earlier[] = {kymo_event_head(KYMO_EVENT_TIME, 0, 0),
				    SYNTHETIC_START_TICKS + 2,
				    kymo_event_head(KYMO_EVENT_LEAVE, trace.a, 1)};

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 5);
	synthetic_words(trace.synthetic, trace.thread, earlier, 3);
	assert_events(&trace, "+A@5 -A@5");
}

static void test_distance_beyond_40_bits(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, UINT64_C(3) << 40);
	assert_events(&trace, "+A@1 -A@3298534883328");
}

static void test_extensions(void **state)
{
	struct trace trace = trace_new();
	/* Of a later version: two further words, one of which looks like an enter. */
	const uint64_t unknown[] = {kymo_event_head(KYMO_EVENT_EXTENDED, 200 | 2 << 8, 0),
				    kymo_event_head(KYMO_EVENT_ENTER, 1, 0), 0};

	(void)state;
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_ENTER, 1, trace.a);
	synthetic_words(trace.synthetic, trace.thread, unknown, 3);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_INSTANT, 2, trace.b);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_LOST, 3, 17);
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_LEAVE, 4, trace.a);
	assert_events(&trace, "+A@1 .B@2 ?17@3 -A@4");
}

static void test_generators_and_annotations(void **state)
{
	struct trace trace = trace_new();
	struct recording *recording;
	struct trace_cursor *cursor;
	struct trace_event event;

	(void)state;
	synthetic_event(trace.synthetic, trace.thread, KYMO_EVENT_RESUME, trace.a, 1,
			UINT64_C(0x7f0012345678));
	synthetic_event(trace.synthetic, trace.thread, KYMO_EVENT_ANNOTATED, trace.b, 2,
			UINT64_C(0xabc) << 32 | 42);
	recording = synthetic_open(trace.synthetic);
	assert_int_equal(trace_cursor_new(recording, trace.thread, &cursor), KYMO_OK);
	assert_true(trace_cursor_next(cursor, &event));
	assert_int_equal(event.kind, TRACE_ENTER);
	assert_int_equal(event.identity, UINT64_C(0x7f0012345678));
	assert_int_equal(event.last_instruction, -1);
	assert_true(trace_cursor_next(cursor, &event));
	assert_int_equal(event.kind, TRACE_ENTER);
	assert_int_equal(event.identity, 0xabc);
	assert_int_equal(event.last_instruction, 42);
	assert_false(trace_cursor_is_at_end(cursor));
	assert_true(trace_cursor_next(cursor, &event));
	assert_true(trace_cursor_is_at_end(cursor));
	trace_cursor_free(cursor);
	recording_free(recording);
	synthetic_free(trace.synthetic);
}

static void test_messages(void **state)
{
	struct trace trace = trace_new();

	(void)state;
	synthetic_extended_pair(trace.synthetic, trace.thread, KYMO_EXTENDED_SEND, 1, trace.a, 7);
	synthetic_extended_pair(trace.synthetic, trace.thread, KYMO_EXTENDED_RECEIVE, 2, trace.b,
				7);
	synthetic_extended_pair(trace.synthetic, trace.thread, KYMO_EXTENDED_SEND, 3, 99, 7);
	/* Without what both ends have in common it is none. */
	synthetic_extended(trace.synthetic, trace.thread, KYMO_EXTENDED_SEND, 4, trace.a);
	assert_events_dropping(&trace, ">A@1 <B@2", 1);
}

#define VALUE(type, name) ((uint64_t)(type) << 56 | (name))

/* The value comes next, and is what it should be; text NULL: a signed number. */
static void assert_value(struct trace_cursor *cursor, const char *name, int64_t number,
			 const char *text)
{
	struct trace_value value;

	assert_true(trace_cursor_value(cursor, &value));
	assert_string_equal(value.name, name);
	assert_int_equal(value.type, text ? KYMO_VALUE_TEXT : KYMO_VALUE_SIGNED);
	if (text)
		assert_string_equal(value.as.text, text);
	else
		assert_int_equal(value.as.number, number);
}

/* Also where they begin in the chunk after that of their event. */
static void test_values_belong_to_the_event_before(void **state)
{
	for (uint64_t payload = 16; payload <= 200; payload += 8) {
		struct trace trace = trace_new();
		struct synthetic *s = trace.synthetic;
		uint64_t name = synthetic_string(s, "n"), text = synthetic_string(s, "some text");
		struct recording *recording;
		struct trace_cursor *cursor;
		struct trace_event event;
		struct trace_value value;

		(void)state;
		synthetic_chunk_payload(s, payload);
		add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
		synthetic_extended_pair(s, trace.thread, KYMO_EXTENDED_VALUE, 1,
					VALUE(KYMO_VALUE_SIGNED, name), (uint64_t)-3);
		synthetic_extended_pair(s, trace.thread, KYMO_EXTENDED_VALUE, 1,
					VALUE(KYMO_VALUE_TEXT, name), text);
		add(&trace, KYMO_EVENT_LEAVE, trace.a, 2);
		recording = synthetic_open(s);
		assert_int_equal(trace_cursor_new(recording, trace.thread, &cursor), KYMO_OK);
		assert_false(trace_cursor_value(cursor, &value));
		assert_true(trace_cursor_next(cursor, &event));
		assert_value(cursor, "n", -3, NULL);
		assert_value(cursor, "n", 0, "some text");
		assert_false(trace_cursor_value(cursor, &value));
		assert_true(trace_cursor_next(cursor, &event));
		assert_int_equal(event.kind, TRACE_LEAVE);
		assert_false(trace_cursor_value(cursor, &value));
		assert_false(trace_cursor_next(cursor, &event));
		trace_cursor_free(cursor);
		recording_free(recording);
		synthetic_free(s);
	}
}

static void test_values_need_not_be_asked_for(void **state)
{
	struct trace trace = trace_new();
	uint64_t name = synthetic_string(trace.synthetic, "n");

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, trace.a, 1);
	synthetic_extended_pair(trace.synthetic, trace.thread, KYMO_EXTENDED_VALUE, 1,
				VALUE(KYMO_VALUE_SIGNED, name), 1);
	add(&trace, KYMO_EVENT_LEAVE, trace.a, 2);
	assert_events(&trace, "+A@1 -A@2");
}

/* References to no string and types of another version are dropped and counted. */
static void test_values_that_make_no_sense(void **state)
{
	struct trace trace = trace_new();
	struct synthetic *s = trace.synthetic;
	uint64_t name = synthetic_string(s, "n");
	const uint64_t bad[][2] = {{VALUE(KYMO_VALUE_SIGNED, 0), 1},
				   {VALUE(KYMO_VALUE_SIGNED, name + 8), 1},
				   {VALUE(KYMO_VALUE_TEXT, name), UINT64_MAX},
				   {VALUE(0, name), 1},
				   {VALUE(200, name), 1}};
	struct recording *recording;
	struct trace_cursor *cursor;
	struct trace_event event;
	struct trace_value value;

	(void)state;
	synthetic_extended(s, trace.thread, KYMO_EXTENDED_INSTANT, 1, trace.a);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		synthetic_extended_pair(s, trace.thread, KYMO_EXTENDED_VALUE, 1, bad[i][0],
					bad[i][1]);
	synthetic_extended_pair(s, trace.thread, KYMO_EXTENDED_VALUE, 1,
				VALUE(KYMO_VALUE_SIGNED, name), 5);
	recording = synthetic_open(s);
	assert_int_equal(trace_cursor_new(recording, trace.thread, &cursor), KYMO_OK);
	assert_true(trace_cursor_next(cursor, &event));
	assert_value(cursor, "n", 5, NULL);
	assert_int_equal(trace_cursor_dropped(cursor), 5);
	assert_false(trace_cursor_value(cursor, &value));
	trace_cursor_free(cursor);
	recording_free(recording);
	synthetic_free(s);
}

/* The whole of a program or of a thread is left when that ends; nothing is unfinished. */
static void test_a_program_ends_with_its_process(void **state)
{
	struct trace trace = trace_new();
	uint32_t program = synthetic_region(trace.synthetic, KYMO_REGION_PROGRAM, "P");

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, program, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.a, 2);
	synthetic_close(trace.synthetic, 9);
	assert_events(&trace, "+P@1 +A@2 -A@9* -P@9");
}

static void test_a_killed_program_is_unfinished(void **state)
{
	struct trace trace = trace_new();
	uint32_t program = synthetic_region(trace.synthetic, KYMO_REGION_PROGRAM, "P");

	(void)state;
	add(&trace, KYMO_EVENT_ENTER, program, 1);
	add(&trace, KYMO_EVENT_ENTER, trace.a, 2);
	assert_events(&trace, "+P@1 +A@2 -A@2* -P@2*");
}

static void test_chunks_in_order_of_sequence(void **state)
{
	struct trace trace = trace_new();
	uint64_t late, early;
	uint64_t words[1];

	(void)state;
	late = synthetic_chunk(trace.synthetic, KYMO_CHUNK_EVENTS, trace.thread, 0, 64, 0);
	early = synthetic_chunk(trace.synthetic, KYMO_CHUNK_EVENTS, trace.thread, 0, 64, 0);
	{
		unsigned char *file = (unsigned char *)synthetic_header(trace.synthetic);
		struct kymo_chunk *chunk = (struct kymo_chunk *)(void *)(file + late);

		chunk->sequence = 1000;
		chunk->base = SYNTHETIC_START_TICKS + 8;
		words[0] = kymo_event_head(KYMO_EVENT_LEAVE, trace.a, 1);
		memcpy(chunk + 1, words, sizeof(words));
		chunk = (struct kymo_chunk *)(void *)(file + early);
		chunk->base = SYNTHETIC_START_TICKS;
		words[0] = kymo_event_head(KYMO_EVENT_ENTER, trace.a, 3);
		memcpy(chunk + 1, words, sizeof(words));
	}
	assert_events(&trace, "+A@3 -A@9");
}

/* A record whose words do not lie in its chunk ends the chunk, not the trace. */
static void test_record_across_the_end(void **state)
{
	struct trace trace = trace_new();
	uint64_t words[KYMO_CHUNK_ALIGN / 8 - 8];

	(void)state;
	words[0] = kymo_event_head(KYMO_EVENT_ENTER, trace.a, SYNTHETIC_START_TICKS + 1);
	for (size_t i = 1; i < sizeof(words) / 8; i++)
		words[i] = kymo_event_head(KYMO_EVENT_EXTENDED, 200, 0);
	words[sizeof(words) / 8 - 1] = kymo_event_head(KYMO_EVENT_RESUME, trace.a, 2);
	synthetic_words(trace.synthetic, trace.thread, words, sizeof(words) / 8);
	words[0] = kymo_event_head(KYMO_EVENT_LEAVE, trace.a, SYNTHETIC_START_TICKS + 3);
	synthetic_words(trace.synthetic, trace.thread, words, 1);
	synthetic_close(trace.synthetic, 9);
	assert_events_dropping(&trace, "+A@1 -A@3", 1);
}

/* The stack every event of a cursor leaves behind; fails where they do not balance. */
struct stack {
	uint32_t *regions;
	size_t depth;
	uint64_t time;
};

static void stack_take(struct stack *stack, const struct trace_event *event)
{
	assert_true(event->ticks >= stack->time);
	stack->time = event->ticks;
	if (event->kind == TRACE_ENTER) {
		stack->regions[stack->depth++] = event->region;
	} else if (event->kind == TRACE_LEAVE || event->kind == TRACE_UNWIND) {
		assert_true(stack->depth > 0);
		assert_int_equal(stack->regions[--stack->depth], event->region);
	}
}

static void test_garbage_balances(void **state)
{
	unsigned short seed[3] = {7, 8, 9};

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct trace trace = trace_new();
		uint64_t words[400];
		struct stack stack = {.regions = calloc(401, sizeof(uint32_t))};
		struct recording *recording;
		struct trace_cursor *cursor;
		struct trace_event event;

		for (size_t i = 0; i < 400; i++) {
			uint64_t random = (uint64_t)nrand48(seed) << 33 ^ (uint64_t)nrand48(seed)
										  << 11;

			/* Mostly small regions, so that some match. */
			words[i] = round % 2 ? random
					     : kymo_event_head((enum kymo_event_kind)(random >> 61),
							       (uint32_t)(random >> 40 & 3),
							       random & 0xffff);
		}
		synthetic_words(trace.synthetic, trace.thread, words, 400);
		recording = synthetic_open(trace.synthetic);
		assert_int_equal(trace_cursor_new(recording, trace.thread, &cursor), KYMO_OK);
		while (trace_cursor_next(cursor, &event))
			stack_take(&stack, &event);
		assert_int_equal(stack.depth, 0);
		trace_cursor_free(cursor);
		recording_free(recording);
		synthetic_free(trace.synthetic);
		free(stack.regions);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balanced_trace_comes_as_it_is),
		cmocka_unit_test(test_thread_without_events),
		cmocka_unit_test(test_open_regions_are_closed_at_the_end),
		cmocka_unit_test(test_leave_of_outer_closes_inner),
		cmocka_unit_test(test_leave_matches_the_innermost),
		cmocka_unit_test(test_leave_without_enter_is_dropped),
		cmocka_unit_test(test_unknown_regions_are_dropped),
		cmocka_unit_test(test_unwind_all),
		cmocka_unit_test(test_unwind_inside_of_a_region),
		cmocka_unit_test(test_time_never_goes_back),
		cmocka_unit_test(test_distance_beyond_40_bits),
		cmocka_unit_test(test_extensions),
		cmocka_unit_test(test_generators_and_annotations),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_values_belong_to_the_event_before),
		cmocka_unit_test(test_values_need_not_be_asked_for),
		cmocka_unit_test(test_values_that_make_no_sense),
		cmocka_unit_test(test_a_program_ends_with_its_process),
		cmocka_unit_test(test_a_killed_program_is_unfinished),
		cmocka_unit_test(test_chunks_in_order_of_sequence),
		cmocka_unit_test(test_record_across_the_end),
		cmocka_unit_test(test_garbage_balances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
