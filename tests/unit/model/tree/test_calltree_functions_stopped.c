/* Calls while recording is stopped, or the time is not the program's: closed when that begins, and
 * not paid for it. */
#include "calltree_functions_fixture.h"
#include "format/gateword.h"
#include "model/functions/function_events.h"

static void test_marks_close_what_is_open(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	leave(&fixture, 3, 10); /* was entered before anything was recorded */
	enter(&fixture, F0, 10, 100);
	enter(&fixture, F1, 14, 200);
	function_events_put_mark(&fixture.pairs, PATCH_MARK_OFF, 300);
	function_events_put_mark(&fixture.pairs, PATCH_MARK_ON, 1000);
	leave(&fixture, 14, 1010);
	enter(&fixture, F2, 14, 1100);
	function_events_put_mark(&fixture.pairs, PATCH_MARK_LOST, 1200);
	enter(&fixture, F3, 14, 1300);
	leave(&fixture, 14, 1400);
	load(&fixture, 2000);
	assert_node(AT(&fixture, F0), 1, 200, 100);
	assert_node(AT(&fixture, F0, F1), 1, 100, 100);
	assert_node(AT(&fixture, F2), 1, 100, 100);
	assert_node(AT(&fixture, F3), 1, 100, 100);
	assert_int_equal(fixture.tree->dropped_count, 0);
	fixture_free(&fixture);
}

/* So many ticks of the time before the next record are not the program's. */
static void put_foreign(struct fixture *fixture, enum patch_mark mark, uint64_t ticks)
{
	uint64_t last = fixture->pairs.last;

	function_events_put_mark(&fixture->pairs, mark, ticks - SYNTHETIC_START_TICKS);
	fixture->pairs.last = last;
}

static void test_others_time_is_in_no_call(void **state)
{
	(void)state;
	for (unsigned is_raw = 0; is_raw < 2; is_raw++) {
		struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
		double own = is_raw ? 0 : 30;

		enter(&fixture, F0, 10, 100);
		enter(&fixture, F1, 14, 200);
		put_foreign(&fixture, PATCH_MARK_AWAY, 600);
		leave(&fixture, 14, 1000);
		put_foreign(&fixture, PATCH_MARK_OWN, 30);
		put_foreign(&fixture, PATCH_MARK_AWAY, 1000); /* there is not so much time */
		leave(&fixture, 10, 1050);
		enter(&fixture, F2, 10, 1200);
		leave(&fixture, 10, 1300);
		put(&fixture);
		synthetic_close(fixture.synthetic, 2000);
		fixture.recording = synthetic_open(fixture.synthetic);
		fixture.recording->is_raw = is_raw;
		assert_int_equal(calltree_new(fixture.recording, &fixture.tree, NULL), KYMO_OK);
		assert_node(AT(&fixture, F0, F1), 1, 200, 200);
		assert_node(AT(&fixture, F0), 1, 300, 100);
		/* What Kymo had is of the time that went by next. */
		assert_node(AT(&fixture, F2), 1, 100, 100);
		assert_true(fixture.tree->off_ns == 650);
		assert_true(fixture.tree->measuring_ns == own);
		assert_true(fixture.tree->own_work_ns == 30);
		assert_true(fixture.tree->nodes[0].sum_ns == 2000 - 650 - own);
		fixture_free(&fixture);
	}
}

/* Likewise where the tree is made of these and of events between them. */
static void test_others_time_beside_events(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_TRACE);
	uint32_t region = synthetic_region(fixture.synthetic, KYMO_REGION_USER, "A");

	(void)state;
	synthetic_event(fixture.synthetic, fixture.thread, KYMO_EVENT_ENTER, region, 150, 0);
	synthetic_event(fixture.synthetic, fixture.thread, KYMO_EVENT_LEAVE, region, 1050, 0);
	enter(&fixture, F0, 10, 100);
	enter(&fixture, F1, 14, 200);
	put_foreign(&fixture, PATCH_MARK_AWAY, 600);
	leave(&fixture, 14, 1000);
	put(&fixture);
	put_foreign(&fixture, PATCH_MARK_OWN, 70);
	put_foreign(&fixture, PATCH_MARK_AWAY, 1000); /* there is not so much time */
	leave(&fixture, 10, 1100);
	put_foreign(&fixture, PATCH_MARK_AWAY, 400); /* and no record behind it */
	load(&fixture, 2000);
	assert_true(fixture.tree->is_replayed);
	assert_node(AT(&fixture, F0), 1, 1000 - 700, 50);
	assert_true(fixture.tree->off_ns == 600 + 100 + 400);
	assert_true(fixture.tree->measuring_ns == 70 && fixture.tree->own_work_ns == 70);
	assert_true(fixture.tree->nodes[0].sum_ns == 2000 - 1100 - 70);
	fixture_free(&fixture);
}

static void switch_off(struct fixture *fixture, uint64_t off, uint64_t on)
{
	struct kymo_header *header = synthetic_header(fixture->synthetic);

	gateword_change(header, KYMO_GATE_BY_CONTROL, true, SYNTHETIC_START_TICKS + off);
	if (on)
		gateword_change(header, KYMO_GATE_BY_CONTROL, false, SYNTHETIC_START_TICKS + on);
}

/* No record says so, and those in the time between were under way. */
static void test_stops_from_outside_close_what_is_open(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	switch_off(&fixture, 20, 30); /* nothing was open */
	enter(&fixture, F0, 10, 100);
	enter(&fixture, F1, 14, 200);
	switch_off(&fixture, 300, 1000);
	enter(&fixture, F4, 18, 310);
	put(&fixture);
	function_events_begin(&fixture.pairs, 310);
	leave(&fixture, 14, 1010);
	enter(&fixture, F2, 14, 1100);
	switch_off(&fixture, 1200, 1250);
	switch_off(&fixture, 1260, 1300);
	enter(&fixture, F3, 14, 1300);
	switch_off(&fixture, 1400, 0);
	load(&fixture, 2000);
	assert_node(AT(&fixture, F0), 1, 210, 100);
	assert_node(AT(&fixture, F0, F1), 1, 110, 110);
	assert_node(AT(&fixture, F0, F1, F4), 1, 0, 0);
	assert_node(AT(&fixture, F2), 1, 100, 100);
	assert_node(AT(&fixture, F3), 1, 100, 100);
	assert_int_equal(fixture.tree->dropped_count, 0);
	fixture_free(&fixture);
}

/* What the log has lost is not known; the numbers that closing adds have no times. */
static void test_only_stops_of_the_log_are_known(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	struct function_events_stops stops;

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		switch_off(&fixture, 100 + 10 * i, 105 + 10 * i);
	synthetic_header(fixture.synthetic)->gate += 2;
	stops = function_events_stops_of(synthetic_header(fixture.synthetic));
	assert_int_equal(stops.count, 31);
	assert_int_equal(stops.items[30].off, SYNTHETIC_START_TICKS + 100 + 990);
	assert_int_equal(stops.items[30].on, SYNTHETIC_START_TICKS + 105 + 990);
	assert_int_equal(function_events_stops_cut(&stops, 7), 7);
	load(&fixture, 2000);
	fixture_free(&fixture);
}

static void test_what_is_open_when_the_process_is_killed(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	enter(&fixture, F0, 10, 100);
	enter(&fixture, F1, 14, 200);
	leave(&fixture, 14, 300);
	enter(&fixture, F1, 14, 450);
	load(&fixture, 0);
	assert_true(AT(&fixture, F0)->is_open && AT(&fixture, F0, F1)->is_open);
	assert_node(AT(&fixture, F0), 1, 350, 250); /* until the last record */
	assert_node(AT(&fixture, F0, F1), 2, 100, 100);
	assert_int_equal(AT(&fixture, F0, F1)->closed_count, 1);
	fixture_free(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks_close_what_is_open),
		cmocka_unit_test(test_others_time_is_in_no_call),
		cmocka_unit_test(test_others_time_beside_events),
		cmocka_unit_test(test_stops_from_outside_close_what_is_open),
		cmocka_unit_test(test_only_stops_of_the_log_are_known),
		cmocka_unit_test(test_what_is_open_when_the_process_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
