/* Trampolines, by running them: what functions give back, what is recorded, what is kept. */
#include "patch/plan/planmake.h"

#include "plan_code_fixture.h"

static void full_and_coarse_tell_calls_in_order(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		run_variant(i & 1 ? PATCH_COST_FULL : PATCH_COST_COARSE, PLAN_WAY_EXITS,
			    i & 2 ? PLAN_VARIANT_SERIALIZED : 0);
		assert_string_equal(fixture_text(),
				    "+0 - +1 +0 - - +2 - +3 - +0 - +3 - +0 - +3 - +8 +7 - - "
				    "+9 - +1 +0 - - +11 - +10 - +11 -");
		assert_int_equal(fixture_slow_count, 0);
		assert_int_equal(fixture_hot.state, PATCH_STATE_READY);
		fixture_release(&fixture);
	}
}

static void entries_alone_tell_enters(void **state)
{
	(void)state;
	run_all(PATCH_COST_FULL, PLAN_WAY_ENTRIES);
	assert_string_equal(fixture_text(),
			    "+0 +1 +0 +2 +3 +0 +3 +0 +3 +8 +7 +9 +1 +0 +11 +10 +11");
	fixture_release(&fixture);
}

static void counts_are_exact(void **state)
{
	static const unsigned expected[] = {5, 2, 1, 3, 0, 0, 0, 1, 1, 1, 1, 2};

	(void)state;
	for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_ENTRIES; way++) {
		run_all(PATCH_COST_COUNTS, way);
		for (unsigned i = 0; i < 12; i++)
			assert_int_equal(1000 - fixture_left[FIXTURE_FIRST_ID + i], expected[i]);
		assert_int_equal(fixture_slow_count, 0);
		fixture_release(&fixture);
	}
}

static void slots_are_those_of_the_call(void **state)
{
	struct fixture_event events[8];

	(void)state;
	for (enum patch_cost cost = PATCH_COST_COARSE; cost <= PATCH_COST_FULL; cost++) {
		fill(PLAN_WAY_EXITS);
		fixture_apply(&fixture, cost, false);
		RUN(add_two, 1, 1);
		RUN(twice, 1, 1);
		assert_int_equal(fixture_events(events, 8), 6);
		assert_int_equal(events[0].slot, events[1].slot);
		assert_int_equal(events[2].slot, events[5].slot);
		assert_int_equal(events[3].slot, events[4].slot);
		/* rbp, rbx and the return address lie between */
		assert_int_equal((events[2].slot - events[3].slot) & PATCH_SLOT_MASK, 3);
		fixture_release(&fixture);
	}
}

static void check_registers(const char *function)
{
	uint64_t values[64];

	for (unsigned i = 0; i < 32; i++)
		values[i] = 0x1010101010101010u * (i % 7) + i;
	values[0] = 0x3ff0000000000000u; /* 1.0 and 1.5: x87 */
	values[1] = 0x3ff8000000000000u;
	memset(values + 32, 0, 32 * sizeof(values[0]));
	assert_int_equal(keeps_all(function, values), 0);
	assert_memory_equal(values, values + 32, 256);
}

static void registers_are_kept(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COUNTS; cost <= PATCH_COST_FULL; cost++)
		for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_ENTRIES; way++)
			for (unsigned how = 0; how < 4; how++) {
				fill(way);
				fixture_apply(&fixture, cost, false);
				fixture.gate->is_off = how == 1;
				if (how >= 2)
					fixture_pause(PATCH_STATE_NEW);
				fixture_left[FIXTURE_FIRST_ID + QUIET] = how >= 2 ? 0 : 9;
				fixture_is_wanted = how == 3;
				check_registers(quiet);
				fixture_release(&fixture);
			}
}

static void flags_are_kept_where_they_must_be(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COUNTS; cost <= PATCH_COST_FULL; cost++)
		for (unsigned off = 0; off < 2; off++) {
			fill(PLAN_WAY_EXITS);
			fixture_apply(&fixture, cost, false);
			fixture.gate->is_off = (uint8_t)off;
			assert_int_equal(with_carry(carries, 0, 5), 0x100 | 5);
			assert_int_equal(with_carry(carries, 1, 5), 0x100 | 6);
			assert_int_equal(with_carry(carries, 0, 150), 150);
			assert_int_equal(with_carry(carries, 1, 150), 151);
			fixture_release(&fixture);
		}
}

static void switched_off_nothing_is_told(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COUNTS; cost <= PATCH_COST_FULL; cost++)
		for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_ENTRIES; way++) {
			fill(way);
			fixture_apply(&fixture, cost, false);
			fixture.gate->is_off = 1;
			fixture_pause(PATCH_STATE_NEW);
			memset(fixture_left, 0, sizeof(fixture_left));
			check_results();
			assert_string_equal(fixture_text(), "");
			assert_int_equal(fixture_slow_count, 0);
			fixture_release(&fixture);
		}
}

static void timed_calls_end_where_they_began(void **state)
{
	(void)state;
	for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_CALL; way++) {
		fill(way);
		fixture_apply(&fixture, PATCH_COST_COUNTS, false);
		fixture_left[FIXTURE_FIRST_ID + TWICE] = 0;
		fixture_is_wanted = true;
		assert_int_equal(RUN(twice, 21, 0), 42);
		assert_int_equal(fixture_slow_count, 2);
		assert_int_equal(fixture_slow[0].index, TWICE);
		assert_true(!fixture_slow[0].is_exit && fixture_slow[1].is_exit);
		assert_int_equal(fixture_slow[0].slot, fixture_slow[1].slot);
		fixture_release(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(full_and_coarse_tell_calls_in_order, put_back),
		cmocka_unit_test_teardown(entries_alone_tell_enters, put_back),
		cmocka_unit_test_teardown(counts_are_exact, put_back),
		cmocka_unit_test_teardown(slots_are_those_of_the_call, put_back),
		cmocka_unit_test_teardown(registers_are_kept, put_back),
		cmocka_unit_test_teardown(flags_are_kept_where_they_must_be, put_back),
		cmocka_unit_test_teardown(switched_off_nothing_is_told, put_back),
		cmocka_unit_test_teardown(timed_calls_end_where_they_began, put_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
