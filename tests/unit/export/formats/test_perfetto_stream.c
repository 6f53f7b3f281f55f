/* Packets of a Perfetto trace that are not events: clocks, tracks, names, counters, notes. */
#include "export/formats/perfetto_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "export/formats/protobuf_fixture.h"
#include "export/sink_fixture.h"
#include "model/recording/recording_open.h"
#include "synthetic.h"

#define PACKETS_MAX 32

struct streamed {
	struct synthetic *made;
	struct recording *recording;
	struct sunk sunk;
	struct perfetto_stream stream;
	struct message packets[PACKETS_MAX];
	size_t count;
};

/* A run of one process is begun. */
static struct perfetto_stream *streamed_begin(struct streamed *streamed)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t region = synthetic_region(made, KYMO_REGION_PYTHON, "work");
	uint64_t file = synthetic_string(made, "/u/a.py");

	synthetic_region_at(made, region)->file = file;
	synthetic_region_at(made, region)->line = 7;
	synthetic_header(made)->pid = 77;
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	synthetic_thread(made, KYMO_NO_THREAD, "worker", 0);
	synthetic_series(made, "power", "W", KYMO_NO_THREAD);
	synthetic_close(made, 1000);
	*streamed = (struct streamed){.made = made, .recording = synthetic_open(made)};
	streamed->stream = (struct perfetto_stream){
		.sink = sunk_begin(&streamed->sunk),
		.origin_ns = SYNTHETIC_START_REALTIME,
		.has_annotations = true,
		.recording = streamed->recording,
	};
	perfetto_run_begin(&streamed->stream);
	perfetto_process_begin(&streamed->stream, streamed->recording);
	return &streamed->stream;
}

static void streamed_end(struct streamed *streamed)
{
	struct message all;
	struct field packet;

	perfetto_process_end(&streamed->stream);
	sunk_end(&streamed->sunk);
	all = (struct message){streamed->sunk.data, streamed->sunk.data + streamed->sunk.size};
	while (next_field(&all, &packet)) {
		assert_int_equal(packet.number, TRACE_PACKET);
		assert_true(streamed->count < PACKETS_MAX);
		streamed->packets[streamed->count++] = packet.content;
	}
}

static void streamed_release(struct streamed *streamed)
{
	free(streamed->sunk.data);
	recording_free(streamed->recording);
	synthetic_free(streamed->made);
}

static struct message descriptor(const struct streamed *streamed, size_t packet)
{
	return get(streamed->packets[packet], PACKET_TRACK_DESCRIPTOR).content;
}

static void test_run_begins_with_clocks_and_the_process(void **state)
{
	struct streamed streamed;
	struct message clock, process;

	(void)state;
	streamed_begin(&streamed);
	streamed_end(&streamed);
	assert_int_equal(streamed.count, 2);
	assert_int_equal(get(streamed.packets[0], PACKET_SEQUENCE_ID).value, PERFETTO_RUN_SEQUENCE);
	assert_int_equal(get(streamed.packets[0], PACKET_SEQUENCE_FLAGS).value,
			 SEQUENCE_STATE_CLEARED);
	clock = get(get(streamed.packets[0], PACKET_CLOCK_SNAPSHOT).content, CLOCK_SNAPSHOT_CLOCKS)
			.content;
	assert_int_equal(get(clock, CLOCK_ID).value, CLOCK_REALTIME_ID);
	assert_int_equal(get(clock, CLOCK_TIMESTAMP).value, SYNTHETIC_START_REALTIME);
	process = get(descriptor(&streamed, 1), TRACK_PROCESS).content;
	assert_int_equal(get(process, PROCESS_PID).value, 77);
	streamed_release(&streamed);
}

static void test_threads_are_sequences_below_the_process(void **state)
{
	struct streamed streamed;
	struct perfetto_stream *stream = streamed_begin(&streamed);
	uint64_t process;

	(void)state;
	perfetto_thread_begin(stream, 0);
	assert_int_equal(stream->sequence, 2);
	perfetto_thread_begin(stream, 1);
	assert_int_equal(stream->sequence, 3);
	perfetto_samples_begin(stream, 5, "samples");
	streamed_end(&streamed);
	assert_int_equal(streamed.count, 2 + 3 * 2);
	process = get(descriptor(&streamed, 1), TRACK_UUID).value;
	for (size_t i = 3; i < 8; i += 2) {
		uint64_t uuid = get(descriptor(&streamed, i), TRACK_UUID).value;
		struct message defaults = get(streamed.packets[i - 1], PACKET_DEFAULTS).content;

		assert_int_equal(get(streamed.packets[i], PACKET_SEQUENCE_ID).value, (i + 1) / 2);
		assert_int_equal(get(descriptor(&streamed, i), TRACK_PARENT_UUID).value, process);
		assert_int_not_equal(uuid, process);
		assert_int_equal(
			get(get(defaults, DEFAULTS_TRACK_EVENT).content, TRACK_DEFAULTS_TRACK_UUID)
				.value,
			uuid);
	}
	assert_true(equals(get(descriptor(&streamed, 7), TRACK_NAME).content, "samples"));
	streamed_release(&streamed);
}

static void test_regions_are_named_once_a_sequence(void **state)
{
	struct streamed streamed;
	struct perfetto_stream *stream = streamed_begin(&streamed);
	struct message interned;

	(void)state;
	perfetto_thread_begin(stream, 0);
	perfetto_region_get(stream, 1);
	perfetto_region_get(stream, 1);
	perfetto_thread_begin(stream, 1);
	perfetto_region_get(stream, 1);
	streamed_end(&streamed);
	assert_int_equal(streamed.count, 2 + 2 * 3);
	for (size_t i = 4; i < 8; i += 3) {
		interned = get(streamed.packets[i], PACKET_INTERNED_DATA).content;
		interned = get(interned, INTERNED_EVENT_NAMES).content;
		assert_int_equal(get(interned, INTERNED_IID).value, 2);
		assert_true(equals(get(interned, INTERNED_TEXT).content, "work"));
	}
	interned = get(streamed.packets[4], PACKET_INTERNED_DATA).content;
	interned = get(interned, INTERNED_ANNOTATION_STRINGS).content;
	assert_true(equals(get(interned, INTERNED_TEXT).content, "/u/a.py"));
	streamed_release(&streamed);
}

static void test_region_s_fields_are_made_once(void **state)
{
	struct streamed streamed;
	struct perfetto_stream *stream = streamed_begin(&streamed);
	const struct perfetto_region *region;
	struct message fields, note;

	(void)state;
	perfetto_thread_begin(stream, 0);
	region = perfetto_region_get(stream, 1);
	fields = (struct message){region->fields, region->fields + region->size};
	assert_int_equal(get(fields, EVENT_NAME_IID).value, 2);
	assert_int_equal(get(fields, EVENT_CATEGORY_IIDS).value, KYMO_REGION_PYTHON + 1);
	note = get(fields, EVENT_ANNOTATIONS).content;
	assert_int_equal(get(note, ANNOTATION_NAME_IID).value, NOTE_FILE);
	assert_int_equal(get(note, ANNOTATION_STRING_IID).value, 2);
	streamed_end(&streamed);
	streamed_release(&streamed);
}

static void test_counters_declare_their_track_once(void **state)
{
	const struct kymo_point point = {.ticks = SYNTHETIC_START_TICKS + 500, .value = 2.5};
	struct streamed streamed;
	struct perfetto_stream *stream = streamed_begin(&streamed);
	struct message event;

	(void)state;
	perfetto_counter_put(stream, &point);
	perfetto_counter_put(stream, &point);
	streamed_end(&streamed);
	assert_int_equal(streamed.count, 2 + 3);
	assert_true(equals(get(descriptor(&streamed, 2), TRACK_NAME).content, "power"));
	assert_true(
		equals(get(get(descriptor(&streamed, 2), TRACK_COUNTER).content, COUNTER_UNIT_NAME)
			       .content,
		       "W"));
	for (size_t i = 3; i < 5; i++) {
		assert_int_equal(get(streamed.packets[i], PACKET_TIMESTAMP).value,
				 SYNTHETIC_START_REALTIME + 500);
		event = get(streamed.packets[i], PACKET_TRACK_EVENT).content;
		assert_int_equal(get(event, EVENT_TYPE).value, EVENT_COUNTER);
		assert_int_equal(get(event, EVENT_TRACK_UUID).value,
				 get(descriptor(&streamed, 2), TRACK_UUID).value);
		assert_int_equal(get(event, EVENT_DOUBLE_COUNTER_VALUE).value,
				 UINT64_C(0x4004000000000000));
	}
	streamed_release(&streamed);
}

static void test_notes_are_instants_of_the_process(void **state)
{
	const struct note note = {
		.key = "loss", .value = "disk full", .ticks = SYNTHETIC_START_TICKS + 9};
	struct streamed streamed;
	struct perfetto_stream *stream = streamed_begin(&streamed);
	struct message event;

	(void)state;
	perfetto_note_put(stream, &note);
	streamed_end(&streamed);
	event = get(streamed.packets[2], PACKET_TRACK_EVENT).content;
	assert_int_equal(get(event, EVENT_TYPE).value, EVENT_INSTANT);
	assert_true(equals(get(event, EVENT_NAME).content, "loss"));
	event = get(event, EVENT_ANNOTATIONS).content;
	assert_int_equal(get(event, ANNOTATION_NAME_IID).value, NOTE_TEXT);
	assert_true(equals(get(event, ANNOTATION_STRING).content, "disk full"));
	streamed_release(&streamed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_begins_with_clocks_and_the_process),
		cmocka_unit_test(test_threads_are_sequences_below_the_process),
		cmocka_unit_test(test_regions_are_named_once_a_sequence),
		cmocka_unit_test(test_region_s_fields_are_made_once),
		cmocka_unit_test(test_counters_declare_their_track_once),
		cmocka_unit_test(test_notes_are_instants_of_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
