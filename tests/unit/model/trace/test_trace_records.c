/* What records of a trace say beside enter and leave: values, messages, identities, far times. */
#include "traced_fixture.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance_beyond_40_bits),
		cmocka_unit_test(test_extensions),
		cmocka_unit_test(test_generators_and_annotations),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_values_belong_to_the_event_before),
		cmocka_unit_test(test_values_need_not_be_asked_for),
		cmocka_unit_test(test_values_that_make_no_sense),
		cmocka_unit_test(test_chunks_in_order_of_sequence),
		cmocka_unit_test(test_record_across_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
