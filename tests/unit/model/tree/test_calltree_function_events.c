/* The call-path tree of instrumented functions, from the records of their enters and exits. */
#include "model/functions/function_events.h"

#include "calltree_functions_fixture.h"

/* The table once more: from then on nothing is called through. */
static void add_end_of_through(struct fixture *fixture, uint64_t time)
{
	const uint32_t flags = KYMO_FUNCTION_TAKEN | KYMO_FUNCTION_NO_EXIT;
	const struct kymo_function_range place = {0x100 * THROUGH + 0x40, 0x80 | flags};
	uint64_t chunk = synthetic_header(fixture->synthetic)->end;
	struct kymo_function_table *table;

	synthetic_functions(fixture->synthetic, START, FIRST_ID + THROUGH, PATCH_COST_FULL, &place,
			    1);
	table = (struct kymo_function_table *)((unsigned char *)synthetic_header(
						       fixture->synthetic) +
					       chunk + sizeof(struct kymo_chunk));
	table->ticks = SYNTHETIC_START_TICKS + time;
}

static void test_nests_calls_and_names_them(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	enter(&fixture, F0, 10, 100);
	for (uint64_t i = 0; i < 3; i++) {
		enter(&fixture, F1, 14, 200 + 100 * i);
		leave(&fixture, 14, 210 + 110 * i);
	}
	leave(&fixture, 10, 10000); /* the time itself is in the record */
	enter(&fixture, F2, 10, 20000);
	put(&fixture); /* goes on in the next chunk */
	leave(&fixture, 10, 20005);
	load(&fixture, 30000);
	assert_node(AT(&fixture, F0), 1, 9900, 9900 - 60);
	assert_node(AT(&fixture, F0, F1), 3, 60, 60);
	assert_true(AT(&fixture, F0, F1)->min_ns == 10 && AT(&fixture, F0, F1)->max_ns == 30);
	assert_true(AT(&fixture, F0, F1)->sum_squares_ns == 100 + 400 + 900);
	assert_node(AT(&fixture, F2), 1, 5, 5);
	assert_int_equal(fixture.tree->dropped_count, 0);
	assert_string_equal(fixture.recording->regions[region_of(&fixture, F1)].name, "app+0x140");
	assert_string_equal(fixture.recording->regions[region_of(&fixture, F1)].module,
			    "/nowhere/app");
	fixture_free(&fixture);
}

static void test_closes_what_ended_in_another_function(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	enter(&fixture, F0, 10, 100);
	enter(&fixture, TAIL, 14, 200);
	enter(&fixture, F1, 14, 220);
	leave(&fixture, 14, 300); /* of both */
	enter(&fixture, F2, 14, 400);
	leave(&fixture, 14, 450);
	enter(&fixture, THROUGH, 14, 500);
	enter(&fixture, F1, 14, 520);
	leave(&fixture, 14, 560);
	leave(&fixture, 14, 570);
	enter(&fixture, THROUGH, 14, 600);
	enter(&fixture, ALSO, 14, 610);
	leave(&fixture, 14, 640); /* of both: what is called through takes the other's place */
	enter(&fixture, F3, 14, 700);
	leave(&fixture, 14, 701);
	leave(&fixture, 10, 1000);
	load(&fixture, 2000);
	assert_node(AT(&fixture, F0), 1, 900, 900 - 100 - 50 - 70 - 40 - 1);
	assert_node(AT(&fixture, F0, TAIL), 1, 100, 20);
	assert_node(AT(&fixture, F0, TAIL, F1), 1, 80, 80);
	assert_node(AT(&fixture, F0, F2), 1, 50, 50);
	assert_node(AT(&fixture, F0, THROUGH), 2, 110, 40);
	assert_node(AT(&fixture, F0, THROUGH, F1), 1, 40, 40);
	assert_node(AT(&fixture, F0, THROUGH, ALSO), 1, 30, 30);
	assert_node(AT(&fixture, F0, F3), 1, 1, 1);
	assert_int_equal(fixture.tree->dropped_count, 0);
	fixture_free(&fixture);
}

/* Stacks are copied from then on: nothing more is called through. */
static void test_calls_are_without_ends_from_a_time_on(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	add_end_of_through(&fixture, 500);
	enter(&fixture, F0, 10, 100);
	enter(&fixture, THROUGH, 14, 200);
	enter(&fixture, F1, 18, 499);
	leave(&fixture, 18, 510);
	enter(&fixture, ALSO, 18, 520);
	leave(&fixture, 14, 600);
	enter(&fixture, ALSO, 14, 700);
	enter(&fixture, F2, 22, 710);
	leave(&fixture, 22, 730);
	leave(&fixture, 10, 1000);
	load(&fixture, 2000);
	assert_node(AT(&fixture, F0), 1, 900, 900 - 400 - 20);
	assert_node(AT(&fixture, F0, THROUGH), 1, 400, 400 - 11);
	assert_node(AT(&fixture, F0, THROUGH, ALSO), 1, 0, 0);
	assert_node(AT(&fixture, F0, ALSO), 1, 0, 0);
	assert_node(AT(&fixture, F0, F2), 1, 20, 20);
	assert_int_equal(fixture.tree->dropped_count, 0);
	fixture_free(&fixture);
}

/* Functions that jump to each other for ever do not make a path without end. */
static void test_circles_of_jumps_are_loops(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	enter(&fixture, F0, 10, 0);
	for (uint64_t i = 0; i < 10000; i++) {
		enter(&fixture, TAIL, 14, 10 + 10 * i);
		enter(&fixture, TAIL, 14, 15 + 10 * i);
	}
	leave(&fixture, 14, 200000);
	leave(&fixture, 10, 200001);
	load(&fixture, 200002);
	assert_node(AT(&fixture, F0, TAIL), 20000, 199990, 199990);
	assert_int_equal(fixture.tree->node_count, 3);
	fixture_free(&fixture);
}

/* An exception or longjmp leaves frames without exits; they are gone when their caller calls
 * again, or ends. */
static void test_frames_that_were_jumped_out_of(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	enter(&fixture, F0, 10, 0);
	for (uint64_t i = 0; i < 1000; i++) {
		enter(&fixture, F1, 14, 100 + 100 * i);
		enter(&fixture, F2, 20, 110 + 100 * i);
		enter(&fixture, F3, 30, 120 + 100 * i);
		enter(&fixture, F4, 14, 140 + 100 * i); /* instead of their exits */
		leave(&fixture, 14, 145 + 100 * i);
	}
	enter(&fixture, F1, 14, 200000);
	enter(&fixture, F2, 20, 200010);
	leave(&fixture, 10, 200020);
	load(&fixture, 200030);
	assert_node(AT(&fixture, F0, F1), 1001, 40020, 10010);
	assert_node(AT(&fixture, F0, F1, F2), 1001, 30010, 10010);
	assert_node(AT(&fixture, F0, F1, F2, F3), 1000, 20000, 20000);
	assert_node(AT(&fixture, F0, F4), 1000, 5000, 5000);
	assert_int_equal(fixture.tree->node_count, 6);
	assert_int_equal(fixture.tree->dropped_count, 0);
	fixture_free(&fixture);
}

/* Slots are the same again every 16 KiB; frames may be larger than half of that. */
static void test_deep_stacks_and_large_frames(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	uint64_t slot = 10, slots[5000], time = 0;
	int path[5001];

	(void)state;
	for (uint32_t i = 0; i < 5000; i++) {
		uint32_t frame = i % 7 == 3 ? 1000 : i % 11 == 4 ? 700 : 3 + i % 5;

		slots[i] = slot;
		path[i] = (int)(i % 8);
		enter(&fixture, i % 8, slot, time += 2);
		slot += frame;
	}
	for (uint32_t i = 5000; i-- > 0;)
		leave(&fixture, slots[i], time += 2);
	path[5000] = -1;
	load(&fixture, time + 1);
	assert_int_equal(fixture.tree->dropped_count, 0);
	assert_int_equal(fixture.tree->node_count, 5001);
	assert_node(at(&fixture, path), 1, 2, 2);
	fixture_free(&fixture);
}

static void test_calls_without_ends_are_counted(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);

	(void)state;
	enter(&fixture, F0, 10, 100);
	enter(&fixture, NO_EXIT, 14, 200);
	enter(&fixture, F1, 20, 300);
	leave(&fixture, 20, 400);
	enter(&fixture, NO_EXIT, 14, 500);
	leave(&fixture, 10, 1100);
	load(&fixture, 2000);
	assert_node(AT(&fixture, F0), 1, 1000, 900);
	assert_node(AT(&fixture, F0, NO_EXIT), 2, 0, 0);
	assert_node(AT(&fixture, F0, F1), 1, 100, 100);
	fixture_free(&fixture);
}

static void test_damage_is_counted_and_passed(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	unsigned char *bytes;

	(void)state;
	enter(&fixture, F0, 10, 100);
	enter(&fixture, NOT_TAKEN, 14, 200);
	function_events_enter(&fixture.pairs, 5000, STACK, 300); /* no such function */
	leave(&fixture, 900, 400);				 /* nothing is open there */
	function_events_put_mark(&fixture.pairs, (enum patch_mark)9, 450);
	bytes = fixture.pairs.bytes;
	assert_non_null(bytes);
	enter(&fixture, F1, 14, 500); /* behind what cannot be read */
	put(&fixture);
	function_events_begin(&fixture.pairs, 600);
	leave(&fixture, 10, 700);
	load(&fixture, 2000);
	assert_node(AT(&fixture, F0), 1, 600, 600);
	assert_null(AT(&fixture, F0, F1));
	assert_int_equal(fixture.tree->dropped_count, 4);
	fixture_free(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nests_calls_and_names_them),
		cmocka_unit_test(test_closes_what_ended_in_another_function),
		cmocka_unit_test(test_calls_are_without_ends_from_a_time_on),
		cmocka_unit_test(test_circles_of_jumps_are_loops),
		cmocka_unit_test(test_frames_that_were_jumped_out_of),
		cmocka_unit_test(test_deep_stacks_and_large_frames),
		cmocka_unit_test(test_calls_without_ends_are_counted),
		cmocka_unit_test(test_damage_is_counted_and_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
