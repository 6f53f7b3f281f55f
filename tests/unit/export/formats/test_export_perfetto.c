/* Perfetto traces, taken apart by a decoder of their own: what every packet refers to was
 * declared before it, and slices nest.  The official definitions are asked end to end. */
#include "export/formats/perfetto_packet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "export/formats/protobuf_fixture.h"
#include "exported.h"

#define PACKETS_MAX 64
#define NAMES_MAX   64

struct trace {
	struct exported exported;
	struct message packets[PACKETS_MAX];
	size_t count;
};

static void trace_load(struct trace *trace, struct synthetic *const *made, size_t count,
		       const struct export_options *options)
{
	struct message all;
	struct field packet;

	trace->exported = exported_new("perfetto", made, count, options);
	assert_int_equal(trace->exported.status, KYMO_OK);
	all.at = (const unsigned char *)trace->exported.data;
	all.end = all.at + trace->exported.size;
	trace->count = 0;
	while (next_field(&all, &packet)) {
		assert_int_equal(packet.number, TRACE_PACKET);
		assert_true(trace->count < PACKETS_MAX);
		trace->packets[trace->count++] = packet.content;
	}
}

/* The text interned under iid in the sequence of packet position, at or before it. */
static struct message interned(const struct trace *trace, size_t position, uint32_t kind,
			       uint64_t iid)
{
	uint64_t sequence = get(trace->packets[position], PACKET_SEQUENCE_ID).value;

	for (size_t i = position + 1; i-- > 0;) {
		struct message data;
		struct field entry;

		if (get(trace->packets[i], PACKET_SEQUENCE_ID).value != sequence ||
		    !has(trace->packets[i], PACKET_INTERNED_DATA))
			continue;
		data = get(trace->packets[i], PACKET_INTERNED_DATA).content;
		while (next_field(&data, &entry)) {
			if (entry.number == kind && get(entry.content, INTERNED_IID).value == iid)
				return get(entry.content, INTERNED_TEXT).content;
		}
	}
	fail_msg("iid %llu of kind %u was not interned", (unsigned long long)iid, kind);
	return trace->packets[0];
}

/* The annotation of that name; fails when the event has none. */
static struct message annotation(const struct trace *trace, size_t position, const char *name)
{
	struct message event = get(trace->packets[position], PACKET_TRACK_EVENT).content;
	struct field field;

	while (next_field(&event, &field)) {
		if (field.number == EVENT_ANNOTATIONS &&
		    equals(interned(trace, position, INTERNED_ANNOTATION_NAMES,
				    get(field.content, ANNOTATION_NAME_IID).value),
			   name))
			return field.content;
	}
	fail_msg("no annotation '%s'", name);
	return event;
}

static uint64_t annotation_uint(const struct trace *trace, size_t position, const char *name)
{
	return get(annotation(trace, position, name), ANNOTATION_UINT).value;
}

/* Position of the nth packet with an event, or with a track descriptor. */
static size_t nth(const struct trace *trace, uint32_t content, size_t n)
{
	for (size_t i = 0; i < trace->count; i++) {
		if (has(trace->packets[i], content) && n-- == 0)
			return i;
	}
	fail_msg("too few packets with field %u", content);
	return 0;
}

static void assert_slice(const struct trace *trace, size_t n, uint64_t delta, const char *name,
			 const char *category)
{
	size_t position = nth(trace, PACKET_TRACK_EVENT, n);
	struct message packet = trace->packets[position];
	struct message event = get(packet, PACKET_TRACK_EVENT).content;

	assert_int_equal(get(packet, PACKET_TIMESTAMP).value, delta);
	assert_int_equal(get(packet, PACKET_SEQUENCE_FLAGS).value, SEQUENCE_NEEDS_STATE);
	if (!name) {
		assert_int_equal(get(event, EVENT_TYPE).value, EVENT_SLICE_END);
		return;
	}
	assert_int_equal(get(event, EVENT_TYPE).value, EVENT_SLICE_BEGIN);
	assert_true(equals(
		interned(trace, position, INTERNED_EVENT_NAMES, get(event, EVENT_NAME_IID).value),
		name));
	assert_true(equals(interned(trace, position, INTERNED_CATEGORIES,
				    get(event, EVENT_CATEGORY_IIDS).value),
			   category));
}

enum { RUN = 1, STEP = 2 };

static struct synthetic *example(uint32_t *thread_out)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_TRACE | KYMO_HEADER_ROOT);
	struct kymo_region *row;

	row = synthetic_region_at(made, synthetic_region(made, KYMO_REGION_PYTHON, "run"));
	row->file = synthetic_string(made, "/u/a.py");
	row->line = 300;
	row->argument_count = 1;
	row->local_count = 2;
	row->stack_size = 4;
	synthetic_region(made, KYMO_REGION_USER, "step");
	synthetic_note(made, KYMO_NOTE_INFO, "script", "/u/a.py");
	*thread_out = synthetic_thread(made, KYMO_NO_THREAD, "MainThread", 0);
	synthetic_thread_at(made, *thread_out)->system_id = 42;
	synthetic_header(made)->pid = 42;
	return made;
}

static void release(struct trace *trace, struct synthetic *made)
{
	exported_free(&trace->exported);
	synthetic_free(made);
}

static void test_slices_refer_to_what_was_interned(void **state)
{
	uint32_t thread;
	struct synthetic *made = example(&thread);
	struct trace trace;
	size_t first;

	(void)state;
	synthetic_enter(made, thread, RUN, 1000);
	synthetic_enter(made, thread, STEP, 1200);
	synthetic_leave(made, thread, STEP, 1500);
	synthetic_leave(made, thread, RUN, 501500);
	synthetic_close(made, 600000);
	trace_load(&trace, &made, 1, NULL);
	assert_slice(&trace, 0, 1000, "run", "python");
	assert_slice(&trace, 1, 200, "step", "user");
	assert_slice(&trace, 2, 300, NULL, NULL);
	assert_slice(&trace, 3, 500000, NULL, NULL);
	first = nth(&trace, PACKET_TRACK_EVENT, 0);
	assert_int_equal(annotation_uint(&trace, first, "line"), 300);
	assert_true(equals(
		interned(&trace, first, INTERNED_ANNOTATION_STRINGS,
			 get(annotation(&trace, first, "file"), ANNOTATION_STRING_IID).value),
		"/u/a.py"));
	release(&trace, made);
}

static void test_tracks_name_processes_and_threads(void **state)
{
	uint32_t thread;
	struct synthetic *made = example(&thread);
	struct message track, process, system_thread;
	struct trace trace;
	uint64_t uuid, defaults;

	(void)state;
	synthetic_close(made, 10);
	trace_load(&trace, &made, 1, NULL);
	track = get(trace.packets[nth(&trace, PACKET_TRACK_DESCRIPTOR, 0)], PACKET_TRACK_DESCRIPTOR)
			.content;
	uuid = get(track, TRACK_UUID).value;
	process = get(track, TRACK_PROCESS).content;
	assert_int_equal(get(process, PROCESS_PID).value, 42);
	assert_true(equals(get(process, PROCESS_NAME).content, "a.py"));
	track = get(trace.packets[nth(&trace, PACKET_TRACK_DESCRIPTOR, 1)], PACKET_TRACK_DESCRIPTOR)
			.content;
	assert_int_equal(get(track, TRACK_PARENT_UUID).value, uuid);
	system_thread = get(track, TRACK_THREAD).content;
	assert_int_equal(get(system_thread, THREAD_PID).value, 42);
	assert_int_equal(get(system_thread, THREAD_TID).value, 42);
	assert_true(equals(get(system_thread, THREAD_NAME).content, "MainThread"));
	/* Events need no uuid: it is the default of the thread's sequence. */
	defaults = get(get(get(trace.packets[nth(&trace, PACKET_DEFAULTS, 1)], PACKET_DEFAULTS)
				   .content,
			   DEFAULTS_TRACK_EVENT)
			       .content,
		       TRACK_DEFAULTS_TRACK_UUID)
			   .value;
	assert_int_equal(defaults, get(track, TRACK_UUID).value);
	assert_int_not_equal(defaults, uuid);
	release(&trace, made);
}

/* All snapshots tell the origin, the start of the earlier process; the stamps of each
 * thread add up from there. */
static void test_processes_share_one_clock(void **state)
{
	uint32_t thread;
	struct synthetic *made[2];
	struct trace trace;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct kymo_header *header;

		made[i] = example(&thread);
		synthetic_enter(made[i], thread, STEP, 100);
		synthetic_close(made[i], 1000);
		header = synthetic_header(made[i]);
		header->pid = 42 + i;
		for (uint32_t k = 0; k < header->pair_count; k++)
			header->pairs[k].realtime_ns += 7000 - 7000 * i;
	}
	trace_load(&trace, made, 2, NULL);
	for (size_t n = 0; n < 3; n++) {
		struct message packet = trace.packets[nth(&trace, PACKET_CLOCK_SNAPSHOT, n)];
		struct message snapshot = get(packet, PACKET_CLOCK_SNAPSHOT).content;
		struct message clock = get(snapshot, CLOCK_SNAPSHOT_CLOCKS).content;

		assert_int_equal(get(packet, PACKET_SEQUENCE_ID).value, n + 1);
		assert_int_equal(get(packet, PACKET_SEQUENCE_FLAGS).value, SEQUENCE_STATE_CLEARED);
		assert_int_equal(get(snapshot, CLOCK_SNAPSHOT_PRIMARY).value, CLOCK_REALTIME_ID);
		assert_int_equal(get(clock, CLOCK_ID).value, CLOCK_REALTIME_ID);
		assert_int_equal(get(clock, CLOCK_TIMESTAMP).value, SYNTHETIC_START_REALTIME);
	}
	assert_slice(&trace, 0, 7100, "step", "user");
	assert_slice(&trace, 2, 100, "step", "user");
	exported_free(&trace.exported);
	synthetic_free(made[0]);
	synthetic_free(made[1]);
}

static void test_annotations_of_single_events(void **state)
{
	uint32_t thread;
	struct synthetic *made = example(&thread);
	struct trace trace;

	(void)state;
	synthetic_event(made, thread, KYMO_EVENT_ANNOTATED, RUN, 10, 26 | UINT64_C(9) << 32);
	synthetic_event(made, thread, KYMO_EVENT_RESUME, STEP, 20, UINT64_MAX);
	synthetic_event(made, thread, KYMO_EVENT_UNWIND, STEP, 30, 0);
	synthetic_extended(made, thread, KYMO_EXTENDED_LOST, 40, 5);
	trace_load(&trace, &made, 1, NULL);
	assert_int_equal(annotation_uint(&trace, nth(&trace, PACKET_TRACK_EVENT, 0), "lasti"), 26);
	assert_int_equal(annotation_uint(&trace, nth(&trace, PACKET_TRACK_EVENT, 0), "nlocals"), 2);
	assert_int_equal(annotation_uint(&trace, nth(&trace, PACKET_TRACK_EVENT, 0), "generator"),
			 9);
	assert_int_equal(annotation_uint(&trace, nth(&trace, PACKET_TRACK_EVENT, 1), "generator"),
			 UINT64_MAX);
	annotation(&trace, nth(&trace, PACKET_TRACK_EVENT, 2), "left by exception");
	assert_int_equal(annotation_uint(&trace, nth(&trace, PACKET_TRACK_EVENT, 3), "lost events"),
			 5);
	/* The recording broke off inside of run. */
	annotation(&trace, nth(&trace, PACKET_TRACK_EVENT, 4), "unfinished");
	release(&trace, made);
}

static void test_annotations_can_be_left_out(void **state)
{
	const struct export_options plain = {.thread = KYMO_NO_THREAD};
	uint32_t thread;
	struct synthetic *made = example(&thread);
	struct message event;
	struct trace trace;

	(void)state;
	synthetic_event(made, thread, KYMO_EVENT_ANNOTATED, RUN, 10, 26);
	trace_load(&trace, &made, 1, &plain);
	for (size_t n = 0; n < 2; n++) {
		event = get(trace.packets[nth(&trace, PACKET_TRACK_EVENT, n)], PACKET_TRACK_EVENT)
				.content;
		assert_false(has(event, EVENT_ANNOTATIONS));
	}
	release(&trace, made);
}

static void test_counters_and_losses_belong_to_the_process(void **state)
{
	uint32_t thread, series;
	struct synthetic *made = example(&thread);
	struct message packet, event, track;
	struct trace trace;
	double value;

	(void)state;
	synthetic_series(made, "never", "MB", KYMO_NO_THREAD);
	series = synthetic_series(made, "CPU Memory Usage", "MB", KYMO_NO_THREAD);
	synthetic_point(made, series, 500, 1.5);
	synthetic_note(made, KYMO_NOTE_LOSS, "events", "some were lost");
	synthetic_close(made, 1000);
	trace_load(&trace, &made, 1, NULL);
	track = get(trace.packets[nth(&trace, PACKET_TRACK_DESCRIPTOR, 2)], PACKET_TRACK_DESCRIPTOR)
			.content;
	assert_true(equals(get(track, TRACK_NAME).content, "CPU Memory Usage"));
	assert_true(
		equals(get(get(track, TRACK_COUNTER).content, COUNTER_UNIT_NAME).content, "MB"));
	packet = trace.packets[nth(&trace, PACKET_TRACK_EVENT, 0)];
	event = get(packet, PACKET_TRACK_EVENT).content;
	assert_int_equal(get(packet, PACKET_TIMESTAMP).value, SYNTHETIC_START_REALTIME + 500);
	assert_int_equal(get(event, EVENT_TYPE).value, EVENT_COUNTER);
	assert_int_equal(get(event, EVENT_TRACK_UUID).value, get(track, TRACK_UUID).value);
	memcpy(&value, &(uint64_t){get(event, EVENT_DOUBLE_COUNTER_VALUE).value}, sizeof(value));
	assert_true(value == 1.5);
	event = get(trace.packets[nth(&trace, PACKET_TRACK_EVENT, 1)], PACKET_TRACK_EVENT).content;
	assert_int_equal(get(event, EVENT_TYPE).value, EVENT_INSTANT);
	assert_true(equals(get(event, EVENT_NAME).content, "events"));
	release(&trace, made);
}

/* A greenlet's fiber is a track beside the threads, not a thread of the system. */
static void test_fibers_are_plain_tracks(void **state)
{
	uint32_t thread, fiber;
	struct synthetic *made = example(&thread);
	struct message track;
	struct trace trace;

	(void)state;
	fiber = synthetic_thread(made, thread, "greenlet 1", 0);
	synthetic_thread_at(made, fiber)->flags = KYMO_THREAD_FIBER;
	synthetic_close(made, 10);
	trace_load(&trace, &made, 1, NULL);
	track = get(trace.packets[nth(&trace, PACKET_TRACK_DESCRIPTOR, 2)], PACKET_TRACK_DESCRIPTOR)
			.content;
	assert_false(has(track, TRACK_THREAD));
	assert_true(equals(get(track, TRACK_NAME).content, "greenlet 1"));
	release(&trace, made);
}

/* Names are interned once a sequence, and again in the next one. */
static void test_every_sequence_stands_alone(void **state)
{
	uint32_t threads[2];
	struct synthetic *made = example(&threads[0]);
	struct trace trace;

	(void)state;
	threads[1] = synthetic_thread(made, threads[0], "worker", 0);
	for (int i = 0; i < 2; i++) {
		for (uint64_t time = 100; time < 300; time += 100) {
			synthetic_enter(made, threads[i], STEP, time);
			synthetic_leave(made, threads[i], STEP, time + 50);
		}
	}
	synthetic_close(made, 1000);
	trace_load(&trace, &made, 1, NULL);
	assert_slice(&trace, 0, 100, "step", "user");
	assert_slice(&trace, 2, 50, "step", "user");
	assert_slice(&trace, 4, 100, "step", "user");
	/* Of each sequence's common names, and of the one region in two threads. */
	nth(&trace, PACKET_INTERNED_DATA, 4);
	assert_int_equal(trace.count, 1 + 1 + 2 * (2 + 1 + 4));
	release(&trace, made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slices_refer_to_what_was_interned),
		cmocka_unit_test(test_tracks_name_processes_and_threads),
		cmocka_unit_test(test_processes_share_one_clock),
		cmocka_unit_test(test_annotations_of_single_events),
		cmocka_unit_test(test_annotations_can_be_left_out),
		cmocka_unit_test(test_counters_and_losses_belong_to_the_process),
		cmocka_unit_test(test_fibers_are_plain_tracks),
		cmocka_unit_test(test_every_sequence_stands_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
