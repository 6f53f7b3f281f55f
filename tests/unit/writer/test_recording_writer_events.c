/* Events of recordings that are made. */
#include "writer/recording_writer.h"

#include "model/recording/recording_open.h"
#include "model/trace/trace_cursor.h"
#include "recording_writer_fixture.h"
#include "writer/recording_writer_events.h"

#define EVENT_THREADS 3
#define EVENTS	      40000

struct event {
	uint64_t ns;
	uint32_t region;
	enum trace_event_kind kind;
};

/* Random events that balance; times that need records of their own are among them. */
static void make_events(struct event *events)
{
	uint32_t stack[64], depth = 0;
	uint64_t now = 0;

	for (uint32_t i = 0; i < EVENTS; i++) {
		struct event *event = &events[i];
		uint32_t left = EVENTS - i;

		now += any(1000) ? any(5000) : UINT64_C(1) << 41;
		event->ns = now;
		if (depth && (depth == 64 || left <= depth || any(2))) {
			event->kind = TRACE_LEAVE;
			event->region = stack[--depth];
		} else if (left > depth + 1 && any(10)) {
			event->kind = TRACE_ENTER;
			event->region = stack[depth++] = 1 + any(REGIONS);
		} else {
			event->kind = TRACE_INSTANT;
			event->region = 1 + any(REGIONS);
		}
	}
}

static void write_event(struct recording_writer *maker, uint32_t thread, const struct event *event)
{
	switch (event->kind) {
	case TRACE_ENTER:
		recording_writer_enter(maker, thread, event->ns, event->region);
		break;
	case TRACE_LEAVE:
		recording_writer_leave(maker, thread, event->ns);
		break;
	default:
		recording_writer_instant(maker, thread, event->ns, event->region);
	}
}

static void check_events(const struct recording *recording, uint32_t thread,
			 const struct event *events)
{
	struct trace_cursor *cursor;
	struct trace_event event;

	assert_int_equal(trace_cursor_new(recording, thread, &cursor), KYMO_OK);
	for (uint32_t i = 0; i < EVENTS; i++) {
		assert_true(trace_cursor_next(cursor, &event));
		assert_int_equal(event.kind, events[i].kind);
		assert_int_equal(event.region, events[i].region);
		assert_int_equal(recording_ns(recording, event.ticks), events[i].ns);
		assert_false(event.is_synthetic);
	}
	assert_false(trace_cursor_next(cursor, &event));
	assert_int_equal(trace_cursor_dropped(cursor), 0);
	trace_cursor_free(cursor);
}

static void test_random_events(void **state)
{
	struct recording_writer_header header = {.exit_status = -1};
	struct recording_writer *maker = maker_of(&header);
	struct event *events[EVENT_THREADS];
	struct recording *recording;
	struct calltree *tree;
	char name[2][32];

	(void)state;
	for (uint32_t i = 0; i < REGIONS; i++) {
		struct region region = region_of(i, name);

		recording_writer_region(maker, &region);
	}
	for (uint32_t i = 0; i < EVENT_THREADS; i++) {
		events[i] = calloc(EVENTS, sizeof(**events));
		make_events(events[i]);
		recording_writer_thread(maker, NULL, 0, 0, 0, 0);
	}
	for (uint32_t k = 0; k < EVENTS; k++)
		for (uint32_t i = 0; i < EVENT_THREADS; i++)
			write_event(maker, i, &events[i][k]);
	recording = made(maker);
	assert_int_equal(recording->header.flags, KYMO_HEADER_TRACE);
	for (uint32_t i = 0; i < EVENT_THREADS; i++) {
		check_events(recording, i, events[i]);
		free(events[i]);
	}
	tree = tree_of(recording);
	assert_true(tree->is_replayed);
	calltree_free(tree);
	recording_free(recording);
}

/* Ids that do not fit the head of an event. */
static void test_wide_regions(void **state)
{
	struct recording_writer_header header = {.exit_status = -1};
	struct recording_writer *maker = maker_of(&header);
	uint32_t count = KYMO_EVENT_REGION_MAX + 10, thread, last = 0;
	const struct region region = {.kind = KYMO_REGION_USER, .name = "r"};
	struct trace_cursor *cursor;
	struct trace_event event;
	struct recording *recording;

	(void)state;
	thread = recording_writer_thread(maker, NULL, 0, 0, 0, 0);
	for (uint32_t i = 0; i < count; i++)
		last = recording_writer_new_region(maker, &region);
	recording_writer_enter(maker, thread, 10, last);
	recording_writer_instant(maker, thread, 11, last);
	recording_writer_leave(maker, thread, 12);
	recording_writer_leave(maker, thread, 13); /* of nothing */
	recording = made(maker);
	assert_int_equal(trace_cursor_new(recording, thread, &cursor), KYMO_OK);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(trace_cursor_next(cursor, &event));
		assert_int_equal(event.region, last);
		assert_int_equal(recording_ns(recording, event.ticks), 10 + i);
	}
	assert_false(trace_cursor_next(cursor, &event));
	trace_cursor_free(cursor);
	recording_free(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_events),
		cmocka_unit_test(test_wide_regions),
	};

	close(mkstemp(path));
	return cmocka_run_group_tests(tests, NULL, remove_file);
}
