/* Code that all trampolines use: slow routines, long records, full buffers. */
#include "patch/plan/planemit.h"

#include "plan_code_fixture.h"

static bool is_between(uint64_t least, uint64_t ticks, uint64_t most)
{
	return least <= ticks && ticks <= most;
}

static void long_records_have_their_time(void **state)
{
	struct fixture_event events[16];

	(void)state;
	for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_CALL; way++) {
		uint64_t before = __rdtsc(), after;

		fill(way);
		fixture_apply(&fixture, PATCH_COST_FULL, false);
		RUN(add_two, 1, 1);
		/* Entries that the slow routine lets pass: the exits come long after. */
		fixture_makes_ready = fixture_is_wanted = true;
		fixture_pause(PATCH_STATE_NEW);
		RUN(add_two, 1, 1);
		fixture_pause(PATCH_STATE_NEW);
		RUN(tails, 1, 1);
		after = __rdtsc();
		fixture_release(&fixture);
		assert_int_equal(fixture_events(events, 16), way == PLAN_WAY_EXITS ? 8 : 7);
		assert_true(events[0].is_long && is_between(before, events[0].ticks, after));
		assert_true(events[2].is_exit && events[2].is_long);
		assert_true(is_between(events[0].ticks, events[2].ticks, after));
		/* by a jump, or where the one that it jumps to begins */
		assert_int_equal(events[3].is_exit, way == PLAN_WAY_EXITS);
		assert_true(events[3].is_long);
		assert_true(is_between(events[2].ticks, events[3].ticks, after));
		assert_int_equal(fixture_slow_count, 2);
	}
}

/* Others may have had the processor: the slow routine is to look. */
static void pauses_are_left_to_the_slow_routine(void **state)
{
	(void)state;
	for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_CALL; way++) {
		fill(way);
		fixture_apply(&fixture, PATCH_COST_FULL, false);
		fixture_hot.last = 0;
		fixture_is_wanted = true;
		assert_int_equal(RUN(add_two, 1, 1), 2);
		assert_true(fixture_slow_count > 0 && !fixture_slow[0].is_exit);
		assert_int_equal(fixture_slow[0].index, ADD);
		fixture_reset();
		fixture_makes_ready = fixture_is_wanted = fixture_is_late = true;
		fixture_pause(PATCH_STATE_NEW);
		assert_int_equal(RUN(add_two, 1, 1), 2);
		assert_int_equal(fixture_slow_count, 2);
		assert_true(fixture_slow[1].is_exit);
		assert_int_equal(fixture_slow[0].slot, fixture_slow[1].slot);
		assert_string_equal(fixture_text(), "");
		fixture_release(&fixture);
	}
}

/* Another time is the slow routine's affair, and so is a thread that is not to be recorded; the
 * room that was taken there is none of its chunk's. */
static void marks_of_time_are_left_to_the_slow_routine(void **state)
{
	(void)state;
	for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_CALL; way++) {
		fill(way);
		fixture_apply(&fixture, PATCH_COST_COARSE, false);
		fixture_is_wanted = true;
		assert_int_equal(RUN(add_two, 1, 2), 3);
		assert_int_equal(fixture_slow_count, 0);
		fixture_clock++;
		assert_int_equal(RUN(add_two, 1, 2), 3);
		assert_int_equal(fixture_slow_count, 2);
		assert_false(fixture_slow[0].is_exit);
		assert_true(fixture_slow[1].is_exit);
		assert_ptr_equal(fixture_hot.cursor, fixture_records + 6);
		assert_string_equal(fixture_text(), "+0 -");
		fixture_makes_ready = true;
		fixture_pause(PATCH_STATE_NEW);
		assert_int_equal(RUN(add_two, 1, 2), 3);
		assert_string_equal(fixture_text(), "+0 - -");
		fixture_release(&fixture);
	}
}

/* At the end of a chunk nothing is written at all: what was taken stays zeros. */
static void marked_records_do_not_go_beyond_the_limit(void **state)
{
	(void)state;
	fill(PLAN_WAY_EXITS);
	fixture_apply(&fixture, PATCH_COST_COARSE, false);
	fixture_hot.limit = fixture_records + 5;
	assert_int_equal(RUN(add_two, 1, 2), 3);
	assert_int_equal(fixture_slow_count, 0); /* an exit at 4 */
	assert_int_equal(RUN(add_two, 1, 2), 3);
	assert_int_equal(fixture_slow_count, 2);
	for (unsigned i = 6; i < 64; i++)
		assert_int_equal(fixture_records[i], 0);
	fixture_release(&fixture);
}

static void slow_routines_get_who_and_where(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COARSE; cost <= PATCH_COST_FULL; cost++)
		for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_CALL; way++) {
			fill(way);
			fixture_apply(&fixture, cost, false);
			fixture_pause(PATCH_STATE_INSIDE);
			fixture_is_wanted = true;
			assert_int_equal(RUN(twice, 21, 0), 42);
			assert_int_equal(fixture_slow_count, 4);
			assert_int_equal(fixture_slow[0].index, TWICE);
			assert_int_equal(fixture_slow[1].index, ADD);
			assert_true(!fixture_slow[1].is_exit && fixture_slow[2].is_exit);
			assert_int_equal(fixture_slow[1].slot, fixture_slow[2].slot);
			assert_int_equal(fixture_slow[0].slot, fixture_slow[3].slot);
			assert_int_equal(fixture_slow[0].slot - fixture_slow[1].slot, 24);
			assert_string_equal(fixture_text(), "");
			fixture_release(&fixture);
		}
}

static void full_buffers_are_told_behind_the_record(void **state)
{
	(void)state;
	fill(PLAN_WAY_EXITS);
	fixture_apply(&fixture, PATCH_COST_FULL, false);
	fixture_hot.limit = fixture_records + 1;
	assert_int_equal(RUN(add_two, 1, 2), 3);
	assert_int_equal(fixture_slow_count, 2);
	assert_false(fixture_slow[0].is_exit);
	assert_true(fixture_slow[1].is_exit);
	assert_int_equal(fixture_records[0] & 3, 2); /* where the enter was before */
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(long_records_have_their_time, put_back),
		cmocka_unit_test_teardown(pauses_are_left_to_the_slow_routine, put_back),
		cmocka_unit_test_teardown(marks_of_time_are_left_to_the_slow_routine, put_back),
		cmocka_unit_test_teardown(marked_records_do_not_go_beyond_the_limit, put_back),
		cmocka_unit_test_teardown(slow_routines_get_who_and_where, put_back),
		cmocka_unit_test_teardown(full_buffers_are_told_behind_the_record, put_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
