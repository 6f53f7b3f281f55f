/* Events as written, read back through the reader: long gaps, wide ids, full chunks. */
#include "runtime/store/eventlog.h"

#include "model/recording/recording_open.h"
#include "model/trace/trace_cursor.h"
#include "runtime/store/pagecost.h"
#include "runtime/store/store.h"
#include "runtime_fixture.h"

static const char *const trace_only[] = {"TRACE=ON", "PROFILE=OFF", "CLOCK=monotonic", NULL};

struct expected {
	enum trace_event_kind kind;
	uint32_t region;
	uint64_t ticks;
};

/* The thread's events as readers see them are exactly these, then what closes the rest. */
static void check_events(const struct expected *expected, size_t count)
{
	struct recording *recording = fixture_read(kymo_runtime_recording());
	struct trace_cursor *cursor;
	struct trace_event event;

	CHECK(trace_cursor_new(recording, 0, &cursor) == KYMO_OK);
	for (size_t i = 0; i < count; i++) {
		CHECK(trace_cursor_next(cursor, &event));
		CHECK(event.kind == expected[i].kind && event.region == expected[i].region);
		CHECK(event.ticks == expected[i].ticks);
	}
	CHECK(!trace_cursor_next(cursor, &event) || trace_cursor_is_at_end(cursor));
	trace_cursor_free(cursor);
	recording_free(recording);
}

static void put(const struct expected *event)
{
	kymo_event_put(kymo_thread(),
		       event->kind == TRACE_ENTER   ? KYMO_EVENT_ENTER
		       : event->kind == TRACE_LEAVE ? KYMO_EVENT_LEAVE
						    : KYMO_EVENT_UNWIND,
		       event->region, event->ticks);
}

/* Deltas of 40 bits hold some minutes of ticks; hours and days between events are right. */
static void long_gaps(void)
{
	struct expected events[64];
	uint64_t now, gap = 1;
	size_t count = 0;
	uint32_t region;

	fixture_open(trace_only);
	region = fixture_region("f");
	now = kymo_now(kymo_thread());
	for (; gap < UINT64_C(1) << 58 && count < 64; gap *= 4) {
		events[count++] = (struct expected){TRACE_ENTER, region, now += gap};
		events[count++] = (struct expected){TRACE_LEAVE, region, now += gap};
	}
	for (size_t i = 0; i < count; i++)
		put(&events[i]);
	check_events(events, count);
}

/* Region ids beyond the 21 bits of the head are written in a word of their own. */
static void wide_region_ids(void)
{
	static const uint32_t ids[] = {KYMO_EVENT_REGION_MAX, KYMO_EVENT_REGION_MAX + 1,
				       4000000000u};
	const uint64_t *word;

	fixture_open(trace_only);
	kymo_thread();
	for (size_t i = 0; i < 3; i++) {
		kymo_event_put(kymo_thread(), KYMO_EVENT_ENTER, ids[i], 1000 + i);
		kymo_event_put(kymo_thread(), KYMO_EVENT_UNWIND, ids[i], 2000 + i);
	}
	word = (const uint64_t *)(kymo_thread()->events + 1);
	CHECK(kymo_event_kind(word[0]) == KYMO_EVENT_ENTER && kymo_event_region(word[0]) == ids[0]);
	word += 2;
	for (size_t i = 1; i < 3; i++, word += 4) {
		CHECK(kymo_event_kind(word[0]) == KYMO_EVENT_EXTENDED && word[1] == ids[i]);
		CHECK((kymo_event_region(word[0]) & 0xff) == KYMO_EXTENDED_ENTER);
		CHECK(kymo_event_region(word[0]) >> 8 == 1); /* further words */
		CHECK((kymo_event_region(word[2]) & 0xff) == KYMO_EXTENDED_LEAVE &&
		      word[3] == ids[i]);
	}
	CHECK(*word == 0);
}

static void identity_of_generators(void)
{
	struct trace_cursor *cursor;
	struct trace_event event;
	uint32_t region;

	fixture_open(trace_only);
	region = fixture_region("generator");
	for (uint64_t identity = 1; identity < 5000; identity++) {
		kymo_event_slow(kymo_thread(), KYMO_EVENT_RESUME, region, identity * 10,
				identity << 40);
		kymo_event_put(kymo_thread(), KYMO_EVENT_LEAVE, region, identity * 10 + 1);
	}
	CHECK(trace_cursor_new(fixture_read(kymo_runtime_recording()), 0, &cursor) == KYMO_OK);
	for (uint64_t identity = 1; identity < 5000; identity++) {
		CHECK(trace_cursor_next(cursor, &event) && event.kind == TRACE_ENTER);
		CHECK(event.identity == identity << 40);
		CHECK(trace_cursor_next(cursor, &event) && event.kind == TRACE_LEAVE);
	}
}

/* What beginning them took is what their bytes cost. */
static void check_chunks_cost(void)
{
	uint64_t before = pagecost_byte_ps(), bytes = UINT64_C(1) << 40;

	CHECK(before > 0);
	pagecost_add(bytes, bytes / 1000 * 2 * before); /* as much as twice that for each byte */
	CHECK(pagecost_byte_ps() > before + before / 2 && pagecost_byte_ps() <= 2 * before);
}

/* Records of all lengths meet the end of a chunk in every way; chunks grow to a limit. */
static void chunks_fill_and_grow(void)
{
	enum { COUNT = 600000 };
	struct expected *events = calloc(COUNT, sizeof(*events));
	struct recording *recording;
	uint64_t now;
	uint32_t region;

	fixture_open(trace_only);
	region = fixture_region("f");
	now = kymo_now(kymo_thread());
	for (size_t i = 0; i < COUNT; i++) {
		now += i % 1009 == 0 ? UINT64_C(1) << 41 : 3;
		events[i] = (struct expected){i % 2 ? TRACE_UNWIND : TRACE_ENTER, region, now};
		put(&events[i]);
	}
	check_events(events, COUNT);
	recording = fixture_read(kymo_runtime_recording());
	CHECK(recording->threads[0].lost_events == 0);
	CHECK(kymo_thread()->events->size == 1 << 20);
	check_chunks_cost();
	free(events);
}

/* Whatever room is left in a chunk, collection that stops closes what is open. */
static void unwinding_at_the_end_of_a_chunk(void)
{
	uint32_t region;
	uint64_t now;

	fixture_open(trace_only);
	region = fixture_region("f");
	now = kymo_now(kymo_thread());
	for (int round = 0; round < 12; round++) {
		struct expected last = {TRACE_ENTER, region, now};

		put(&last);
		while (kymo_thread()->event < kymo_thread()->event_limit - round) {
			last.kind = last.kind == TRACE_ENTER ? TRACE_LEAVE : TRACE_ENTER;
			put(&last);
		}
		kymo_threads_unwind();
		CHECK(kymo_thread()->record->lost_events == 0);
	}
}

/* A full recording: events are counted as lost, and the program is told so once. */
static void full_recording(void)
{
	static const char *const settings[] = {"TRACE=ON", "PROFILE=OFF", "RECORD_LIMIT_MB=1",
					       NULL};
	uint64_t enters = 300000, lost;
	int said[2];
	char line[600];
	ssize_t length;

	CHECK(pipe(said) == 0 && dup2(said[1], 2) == 2);
	fixture_open(settings);
	fixture_region("f");
	for (uint64_t i = 0; i < enters; i++)
		kymo_enter(kymo_thread(), 1, KYMO_MODE_TRACE);
	kymo_threads_unwind();
	lost = kymo_thread()->record->lost_events;
	CHECK(lost > enters / 2 && lost < enters);
	kymo_runtime_close(0);
	length = read(said[0], line, sizeof(line) - 1);
	CHECK(length > 0 && line[length - 1] == '\n');
	line[length] = '\0';
	CHECK(strstr(line, "RECORD_LIMIT_MB") && strchr(line, '\n') == line + length - 1);
}

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}
CASE(long_gaps)
CASE(wide_region_ids)
CASE(identity_of_generators)
CASE(chunks_fill_and_grow)
CASE(unwinding_at_the_end_of_a_chunk)
CASE(full_recording)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_gaps),
		cmocka_unit_test(test_wide_region_ids),
		cmocka_unit_test(test_identity_of_generators),
		cmocka_unit_test(test_chunks_fill_and_grow),
		cmocka_unit_test(test_unwinding_at_the_end_of_a_chunk),
		cmocka_unit_test(test_full_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
