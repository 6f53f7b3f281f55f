/* Events of Chrome traces, put in order and nested. */
#include "import/formats/chrome_tracks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

#define REGIONS 4

struct fixture {
	struct imported_fixture made;
	struct chrome_tracks tracks;
	uint32_t thread, regions[REGIONS];
};

static void set_up(struct fixture *fixture)
{
	static const char *const names[REGIONS] = {"a", "b", "c", "d"};
	struct imported *imported = &fixture->made.imported;

	*fixture = (struct fixture){.made.status = KYMO_OK};
	imported_init(imported);
	fixture->tracks.imported = imported;
	fixture->thread = imported_thread(imported, imported_process(imported, 1), 2);
	for (int i = 0; i < REGIONS; i++)
		fixture->regions[i] = imported_user(imported, names[i]);
}

static void put(struct fixture *fixture, char phase, int region, int64_t begin, int64_t end)
{
	const struct chrome_slice slice = {
		.begin_ns = begin,
		.end_ns = end,
		.phase = phase,
		.region = phase == 'E' ? 0 : fixture->regions[region],
	};

	chrome_tracks_add(&fixture->tracks, fixture->thread, &slice);
}

static void assert_finished(struct fixture *fixture, const char *expected)
{
	chrome_tracks_finish(&fixture->tracks);
	chrome_tracks_release(&fixture->tracks);
	ASSERT_IMPORTED(&fixture->made, expected);
	imported_fixture_release(&fixture->made);
}

static void test_complete_events_in_any_order(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	put(&fixture, 'X', 2, 20, 30);
	put(&fixture, 'X', 1, 0, 40);
	put(&fixture, 'X', 0, 0, 100);
	put(&fixture, 'X', 3, 40, 50);
	assert_finished(&fixture, "a 1 50\na;b 1 30\na;b;c 1 10\na;d 1 10\n");
}

static void test_begins_and_ends_by_time(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	put(&fixture, 'E', 0, 50, 50);
	put(&fixture, 'B', 0, 10, 10);
	put(&fixture, 'B', 1, 20, 20);
	put(&fixture, 'E', 0, 60, 60);
	put(&fixture, 'E', 0, 70, 70);
	chrome_tracks_finish(&fixture.tracks);
	assert_int_equal(fixture.made.imported.counts[COUNT_UNMATCHED_ENDS], 1);
	assert_finished(&fixture, "a 1 20\na;b 1 30\n");
}

/* Both kinds on one track: begins get their ends first. */
static void test_both_kinds_together(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	put(&fixture, 'X', 1, 20, 30);
	put(&fixture, 'B', 0, 10, 10);
	put(&fixture, 'E', 0, 40, 40);
	put(&fixture, 'B', 2, 45, 45); /* never ends: with the last event */
	put(&fixture, 'X', 3, 50, 50);
	chrome_tracks_finish(&fixture.tracks);
	assert_int_equal(fixture.made.imported.counts[COUNT_UNENDED], 1);
	assert_finished(&fixture, "a 1 20\na;b 1 10\nc 1 5\nd 1 0\n");
}

/* Doubles in microseconds may end a nanosecond late: that is no overlap. */
static void test_overlaps_are_cut(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	put(&fixture, 'X', 0, 0, 100);
	put(&fixture, 'X', 1, 90, 101);
	put(&fixture, 'X', 2, 200, 300);
	put(&fixture, 'X', 3, 290, 302);
	chrome_tracks_finish(&fixture.tracks);
	assert_int_equal(fixture.made.imported.counts[COUNT_OVERLAPS], 1);
	assert_finished(&fixture, "a 1 90\na;b 1 10\nc 1 90\nc;d 1 10\n");
}

/* Whatever is put in, times of a thread never go back and every enter is left. */
static void test_any_events_nest(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct fixture fixture;
		const struct imported_thread *thread;
		int64_t last = INT64_MIN;
		int depth = 0;

		set_up(&fixture);
		for (int i = 0; i < 30; i++) {
			static const char phases[] = "XXXBEi";
			int64_t begin;

			seed = seed * UINT64_C(6364136223846793005) + 1;
			begin = (int64_t)(seed >> 40) % 50;
			put(&fixture, phases[(seed >> 20) % 6], (int)((seed >> 30) % REGIONS),
			    begin, begin + (int64_t)(seed >> 50) % 20);
		}
		chrome_tracks_finish(&fixture.tracks);
		thread = &fixture.made.imported.threads[fixture.thread];
		for (size_t i = 0; i < thread->event_count; i++) {
			assert_true(thread->events[i].ns >= last);
			last = thread->events[i].ns;
			if (!thread->events[i].is_instant)
				depth += thread->events[i].region ? 1 : -1;
			assert_true(depth >= 0);
		}
		assert_int_equal(depth, thread->open_count);
		chrome_tracks_release(&fixture.tracks);
		imported_fixture_release(&fixture.made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete_events_in_any_order),
		cmocka_unit_test(test_begins_and_ends_by_time),
		cmocka_unit_test(test_both_kinds_together),
		cmocka_unit_test(test_overlaps_are_cut),
		cmocka_unit_test(test_any_events_nest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
