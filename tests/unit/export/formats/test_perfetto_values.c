/* Users' values as annotations, and messages as flows. */
#include "export/formats/perfetto_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "export/formats/perfetto_packet.h"
#include "export/formats/protobuf_fixture.h"
#include "model/recording/recording_open.h"
#include "synthetic.h"

struct encoded {
	unsigned char bytes[PERFETTO_VALUES_MAX];
	struct message all;
};

static struct synthetic *one_enter(void)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_TRACE);

	synthetic_region(made, KYMO_REGION_USER, "r");
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	synthetic_enter(made, 0, 1, 1);
	return made;
}

static void add_value(struct synthetic *made, enum kymo_value_type type, uint64_t name,
		      uint64_t value)
{
	synthetic_extended_pair(made, 0, KYMO_EXTENDED_VALUE, 1, (uint64_t)type << 56 | name,
				value);
}

/* The values of the first event. */
static void encode(struct synthetic *made, struct encoded *encoded)
{
	struct recording *recording = synthetic_open(made);
	struct trace_cursor *cursor;
	struct trace_event event;
	size_t size;

	assert_int_equal(trace_cursor_new(recording, 0, &cursor), KYMO_OK);
	assert_true(trace_cursor_next(cursor, &event));
	size = perfetto_values(cursor, encoded->bytes);
	assert_true(size <= sizeof(encoded->bytes));
	encoded->all = (struct message){encoded->bytes, encoded->bytes + size};
	trace_cursor_free(cursor);
	recording_free(recording);
	synthetic_free(made);
}

static struct message next_annotation(struct encoded *encoded)
{
	struct field field;

	assert_true(next_field(&encoded->all, &field));
	assert_int_equal(field.number, EVENT_ANNOTATIONS);
	return field.content;
}

static void test_each_type_has_its_field(void **state)
{
	static const struct {
		enum kymo_value_type type;
		uint32_t field;
	} types[] = {
		{KYMO_VALUE_SIGNED, ANNOTATION_INT},
		{KYMO_VALUE_UNSIGNED, ANNOTATION_UINT},
		{KYMO_VALUE_FLOAT, ANNOTATION_DOUBLE},
		{KYMO_VALUE_POINTER, ANNOTATION_POINTER},
	};
	enum { COUNT = sizeof(types) / sizeof(*types) };
	struct synthetic *made = one_enter();
	uint64_t name = synthetic_string(made, "n");
	struct encoded encoded;

	(void)state;
	for (int i = 0; i < COUNT; i++)
		add_value(made, types[i].type, name, UINT64_C(0x4004000000000000));
	encode(made, &encoded);
	for (int i = 0; i < COUNT; i++) {
		struct message annotation = next_annotation(&encoded);

		assert_true(equals(get(annotation, ANNOTATION_NAME).content, "n"));
		assert_int_equal(get(annotation, types[i].field).value,
				 UINT64_C(0x4004000000000000)); /* 2.5 */
	}
	assert_ptr_equal(encoded.all.at, encoded.all.end);
}

static void test_texts_are_valid_and_cut(void **state)
{
	struct synthetic *made = one_enter();
	uint64_t name = synthetic_string(made, "n\xff");
	struct encoded encoded;
	struct message annotation, text;
	char *large = malloc(2 * PERFETTO_VALUE_TEXT);

	(void)state;
	assert_non_null(large);
	memset(large, 'x', 2 * PERFETTO_VALUE_TEXT - 1);
	large[2 * PERFETTO_VALUE_TEXT - 1] = '\0';
	add_value(made, KYMO_VALUE_TEXT, name, synthetic_string(made, large));
	encode(made, &encoded);
	annotation = next_annotation(&encoded);
	text = get(annotation, ANNOTATION_NAME).content;
	assert_null(memchr(text.at, 0xff, (size_t)(text.end - text.at)));
	text = get(annotation, ANNOTATION_STRING).content;
	assert_in_range(text.end - text.at, PERFETTO_VALUE_TEXT - 8, PERFETTO_VALUE_TEXT - 1);
	free(large);
}

static void test_what_does_not_fit_is_left_out(void **state)
{
	struct synthetic *made = one_enter();
	uint64_t name = synthetic_string(made, "n"), text;
	struct encoded encoded;
	char large[PERFETTO_VALUE_TEXT];
	unsigned int count = 0;

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	text = synthetic_string(made, large);
	for (int i = 0; i < 200; i++)
		add_value(made, KYMO_VALUE_TEXT, name, text);
	encode(made, &encoded);
	for (; encoded.all.at < encoded.all.end; count++)
		next_annotation(&encoded);
	assert_in_range(count, 50, PERFETTO_VALUES_MAX / PERFETTO_VALUE_TEXT);
}

static void test_flows_end_where_they_are_received(void **state)
{
	struct region regions[] = {{.name = "a"}};
	const struct recording recording = {.regions = regions, .region_count = 1};
	struct trace_event event = {.kind = TRACE_SEND, .value = 5};
	unsigned char bytes[PERFETTO_FLOW_MAX];
	struct message flow = {bytes, bytes + perfetto_flow(&recording, &event, bytes)};
	uint64_t id = get(flow, EVENT_FLOW_IDS).value;

	(void)state;
	event.kind = TRACE_RECEIVE;
	flow = (struct message){bytes, bytes + perfetto_flow(&recording, &event, bytes)};
	assert_int_equal(get(flow, EVENT_TERMINATING_FLOW_IDS).value, id);
	assert_false(has(flow, EVENT_FLOW_IDS));
	event.value = 6;
	perfetto_flow(&recording, &event, bytes);
	assert_int_not_equal(get(flow, EVENT_TERMINATING_FLOW_IDS).value, id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_type_has_its_field),
		cmocka_unit_test(test_texts_are_valid_and_cut),
		cmocka_unit_test(test_what_does_not_fit_is_left_out),
		cmocka_unit_test(test_flows_end_where_they_are_received),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
