/* The call-path tree of instrumented functions, from the records of their enters and exits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/gateword.h"
#include "functions_fixture.h"
#include "model/functions/function_events.h"

#define START	  0x400000u
#define STACK	  UINT64_C(0x7ffc12345678)
#define FUNCTIONS 13u

/* f + i: plain ones; then one that may end in another, one that is called through and may, one
 * without exits, one that was not taken. */
enum { F0, F1, F2, F3, F4, F5, F6, F7, TAIL, THROUGH, NO_EXIT, NOT_TAKEN, ALSO };

static void add_functions(struct synthetic *synthetic)
{
	struct kymo_function_place places[FUNCTIONS];

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		places[i] =
			(struct kymo_function_place){0x100 * i + 0x40, 0x80 | KYMO_FUNCTION_TAKEN};
	places[TAIL].size_flags |= KYMO_FUNCTION_TAIL_CALLS;
	places[THROUGH].size_flags |= KYMO_FUNCTION_TAIL_CALLS | KYMO_FUNCTION_THROUGH;
	places[ALSO].size_flags = places[THROUGH].size_flags;
	places[NO_EXIT].size_flags |= KYMO_FUNCTION_NO_EXIT;
	places[NOT_TAKEN].size_flags &= ~KYMO_FUNCTION_TAKEN;
	synthetic_functions(synthetic, START, FIRST_ID, PATCH_COST_FULL, places, FUNCTIONS);
	synthetic_module(synthetic, "/nowhere/app", NULL, START, START + 0x10000, START);
}

static struct fixture fixture_new(uint32_t flags)
{
	struct fixture fixture = {.synthetic = synthetic_new(flags)};

	add_functions(fixture.synthetic);
	fixture.thread = synthetic_thread(fixture.synthetic, KYMO_NO_THREAD, "main", 0);
	function_events_begin(&fixture.pairs, 0);
	return fixture;
}

/* The table once more: from then on nothing is called through. */
static void add_end_of_through(struct fixture *fixture, uint64_t time)
{
	const uint32_t flags = KYMO_FUNCTION_TAKEN | KYMO_FUNCTION_NO_EXIT;
	const struct kymo_function_place place = {0x100 * THROUGH + 0x40, 0x80 | flags};
	uint64_t chunk = synthetic_header(fixture->synthetic)->end;
	struct kymo_function_table *table;

	synthetic_functions(fixture->synthetic, START, FIRST_ID + THROUGH, PATCH_COST_FULL, &place,
			    1);
	table = (struct kymo_function_table *)((unsigned char *)synthetic_header(
						       fixture->synthetic) +
					       chunk + sizeof(struct kymo_chunk));
	table->ticks = SYNTHETIC_START_TICKS + time;
}

static void enter(struct fixture *fixture, uint32_t function, uint64_t slot, uint64_t time)
{
	function_events_enter(&fixture->pairs, FIRST_ID + function, STACK - 8 * slot, time);
}

static void leave(struct fixture *fixture, uint64_t slot, uint64_t time)
{
	function_events_exit(&fixture->pairs, STACK - 8 * slot, time);
}

static void put(struct fixture *fixture)
{
	function_events_put(&fixture->pairs, fixture->synthetic, fixture->thread);
}

static void load(struct fixture *fixture, uint64_t end)
{
	struct problem problem = {""};

	if (fixture->pairs.size)
		put(fixture);
	if (end)
		synthetic_close(fixture->synthetic, end);
	fixture->recording = synthetic_open(fixture->synthetic);
	if (calltree_new(fixture->recording, &fixture->tree, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
}

static void assert_node(const struct calltree_node *node, uint64_t count, double sum, double self)
{
	assert_non_null(node);
	assert_int_equal(node->count, count);
	assert_true(node->sum_ns == sum);
	assert_true(node->self_ns == self);
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
		assert_true(fixture.tree->room_ns == 30);
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
	assert_true(fixture.tree->measuring_ns == 70 && fixture.tree->room_ns == 70);
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

/* Beside what other collectors keep as a tree, below the region that is the program. */
static void test_is_a_part_of_the_program(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	uint32_t program = synthetic_region(fixture.synthetic, KYMO_REGION_PROGRAM, "app");
	const struct calltree_node *root, *whole;

	(void)state;
	synthetic_enter(fixture.synthetic, fixture.thread, program, 50);
	enter(&fixture, F0, 10, 100);
	leave(&fixture, 10, 300);
	put(&fixture);
	synthetic_leave(fixture.synthetic, fixture.thread, program, 1050);
	load(&fixture, 2000);
	root = &fixture.tree->nodes[fixture.tree->thread_root[fixture.thread]];
	whole = &fixture.tree->nodes[root->first_child];
	assert_int_equal(whole->region, program);
	assert_node(whole, 1, 1000, 800);
	assert_int_equal(fixture.tree->nodes[whole->first_child].region, region_of(&fixture, F0));
	assert_node(&fixture.tree->nodes[whole->first_child], 1, 200, 200);
	fixture_free(&fixture);
}

/* What another collector keeps beside the program's functions was called by them. */
static void test_others_go_below_the_outermost_function(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	uint32_t program = synthetic_region(fixture.synthetic, KYMO_REGION_PROGRAM, "app");
	uint32_t lock = synthetic_region(fixture.synthetic, KYMO_REGION_PTHREAD, "lock");
	uint32_t inner = synthetic_region(fixture.synthetic, KYMO_REGION_PTHREAD, "inner");
	const struct calltree_node *nodes, *node;
	uint32_t other;

	(void)state;
	synthetic_enter(fixture.synthetic, fixture.thread, program, 0);
	enter(&fixture, F0, 10, 10);
	enter(&fixture, F1, 14, 20);
	leave(&fixture, 14, 120);
	synthetic_enter(fixture.synthetic, fixture.thread, lock, 200);
	synthetic_enter(fixture.synthetic, fixture.thread, inner, 250);
	synthetic_leave(fixture.synthetic, fixture.thread, inner, 260);
	other = synthetic_thread(fixture.synthetic, fixture.thread, "other", 300);
	synthetic_leave(fixture.synthetic, fixture.thread, lock, 600);
	leave(&fixture, 10, 1000);
	put(&fixture);
	synthetic_leave(fixture.synthetic, fixture.thread, program, 1050);
	load(&fixture, 2000);
	nodes = fixture.tree->nodes;
	node = &nodes[nodes[fixture.tree->thread_root[fixture.thread]].first_child];
	assert_node(node, 1, 1050, 60);
	node = &nodes[node->first_child];
	assert_int_equal(node->region, region_of(&fixture, F0));
	assert_node(node, 1, 990, 490);
	assert_int_equal(nodes[node->first_child].region, region_of(&fixture, F1));
	node = &nodes[nodes[node->first_child].next_sibling];
	assert_int_equal(node->region, lock);
	assert_node(node, 1, 400, 390);
	assert_int_equal(node->creates_thread, other);
	assert_int_equal(nodes[node->first_child].region, inner);
	fixture_free(&fixture);
}

/* main, f0, is called for 990 ns and calls f1 and f2, which take so much; lock is visited. */
static void waiting(struct fixture *fixture, uint32_t *lock, uint64_t f1, uint64_t f2,
		    uint64_t wait, uint32_t visits)
{
	uint32_t program = synthetic_region(fixture->synthetic, KYMO_REGION_PROGRAM, "app");

	*lock = synthetic_region(fixture->synthetic, KYMO_REGION_PTHREAD, "lock");
	synthetic_enter(fixture->synthetic, fixture->thread, program, 0);
	enter(fixture, F0, 10, 10);
	enter(fixture, F1, 14, 20);
	leave(fixture, 14, 20 + f1);
	enter(fixture, F2, 14, 20 + f1);
	leave(fixture, 14, 20 + f1 + f2);
	for (uint32_t i = 0; i < visits; i++) {
		synthetic_enter(fixture->synthetic, fixture->thread, *lock, 30 + i * wait);
		synthetic_leave(fixture->synthetic, fixture->thread, *lock, 30 + (i + 1) * wait);
	}
	leave(fixture, 10, 1000);
	put(fixture);
	synthetic_leave(fixture->synthetic, fixture->thread, program, 1050);
	load(fixture, 2000);
}

/* Of the node's children the one of the region; NULL. */
static const struct calltree_node *
child_of_region(const struct calltree *tree, const struct calltree_node *node, uint32_t region)
{
	uint32_t at = node->first_child;

	while (at != CALLTREE_NONE && tree->nodes[at].region != region)
		at = tree->nodes[at].next_sibling;
	return at == CALLTREE_NONE ? NULL : &tree->nodes[at];
}

/* The outermost function only calls: who waited is the one that has the time for it. */
static void test_a_wait_goes_where_it_fits(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	const struct calltree_node *node, *f1;
	uint32_t lock;

	(void)state;
	waiting(&fixture, &lock, 600, 350, 590, 1);
	node = &fixture.tree->nodes[fixture.tree->thread_root[fixture.thread]];
	node = &fixture.tree->nodes[node->first_child];
	assert_node(node, 1, 1050, 60);
	node = &fixture.tree->nodes[node->first_child];
	assert_int_equal(node->region, region_of(&fixture, F0));
	assert_node(node, 1, 990, 40);
	f1 = child_of_region(fixture.tree, node, region_of(&fixture, F1));
	assert_node(f1, 1, 600, 10);
	assert_node(child_of_region(fixture.tree, f1, lock), 1, 590, 590);
	fixture_free(&fixture);
}

/* No function has the time for all of it: several waited. */
static void test_a_wait_is_shared_out(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE);
	const struct calltree_node *program, *f0, *part;
	double waited = 0;
	uint64_t visits = 0;
	uint32_t lock;

	(void)state;
	waiting(&fixture, &lock, 500, 400, 80, 11);
	program = &fixture.tree->nodes[fixture.tree->thread_root[fixture.thread]];
	program = &fixture.tree->nodes[program->first_child];
	assert_node(program, 1, 1050, 60);
	f0 = child_of_region(fixture.tree, program, region_of(&fixture, F0));
	assert_node(f0, 1, 990, 90);
	for (uint32_t i = 0; i < fixture.tree->node_count; i++) {
		part = &fixture.tree->nodes[i];
		if (part->region != lock)
			continue;
		waited += part->sum_ns;
		visits += part->count;
		assert_true(part->is_count_estimated && part->count_high == 11);
	}
	assert_true(waited == 880 && visits == 11);
	part = child_of_region(fixture.tree, f0, region_of(&fixture, F1));
	assert_node(part, 1, 500, 0);
	assert_true(child_of_region(fixture.tree, part, lock)->sum_ns == 500);
	fixture_free(&fixture);
}

#define PATHS_MAX 100000

struct truth { /* what the program did, path by path */
	uint32_t parent[PATHS_MAX], function[PATHS_MAX], count;
	uint64_t calls[PATHS_MAX], time[PATHS_MAX];
};

struct call {
	uint32_t function, path;
	uint64_t slot, frame, start;
	bool is_tail; /* came by a jump from the one before, whose frame it took over */
};

static uint32_t truth_child(struct truth *truth, uint32_t parent, uint32_t function)
{
	for (uint32_t i = 1; i < truth->count; i++)
		if (truth->parent[i] == parent && truth->function[i] == function)
			return i;
	assert_in_range(truth->count, 0, PATHS_MAX - 1);
	truth->parent[truth->count] = parent;
	truth->function[truth->count] = function;
	return truth->count++;
}

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % limit;
}

struct machine {
	struct fixture *fixture;
	struct truth *truth;
	struct call calls[64];
	uint32_t depth;
	uint64_t time, seed;
};

static void machine_call(struct machine *machine, bool is_tail)
{
	struct call *top = &machine->calls[machine->depth - 1], *call = top + 1;

	*call = (struct call){
		.function = random_below(&machine->seed, 10), /* all that are taken and end */
		.slot = is_tail ? top->slot : top->slot + top->frame,
		.frame = 2 + random_below(&machine->seed, 60),
		.start = machine->time,
		.is_tail = is_tail,
	};
	/* A function that jumps to one that came here before is a loop: not in this test. */
	for (uint32_t i = machine->depth; is_tail && i > 0; i--) {
		if (machine->calls[i - 1].slot != call->slot)
			break;
		if (machine->calls[i - 1].function == call->function)
			return;
	}
	call->path = truth_child(machine->truth, top->path, call->function);
	machine->truth->calls[call->path]++;
	enter(machine->fixture, call->function, call->slot, machine->time);
	machine->depth++;
}

static void machine_end(struct machine *machine)
{
	struct call *call = &machine->calls[--machine->depth];

	machine->truth->time[call->path] += machine->time - call->start;
}

/* A return ends all that jumped there, but for those that are called through. */
static void machine_return(struct machine *machine)
{
	bool is_through = machine->calls[machine->depth - 1].function == THROUGH, is_tail;

	leave(machine->fixture, machine->calls[machine->depth - 1].slot, machine->time);
	do {
		is_tail = machine->calls[machine->depth - 1].is_tail;
		machine_end(machine);
	} while (is_tail && (is_through || machine->calls[machine->depth - 1].function == TAIL));
}

static void machine_step(struct machine *machine)
{
	struct call *top = &machine->calls[machine->depth - 1];
	uint32_t what = random_below(&machine->seed, 100);

	machine->time += random_below(&machine->seed, what == 0 ? 100000 : 700);
	if (what < 45 && machine->depth < 60)
		machine_call(machine, false);
	else if (what < 60 && machine->depth > 1 && machine->depth < 60 &&
		 (top->function == TAIL || top->function == THROUGH))
		machine_call(machine, true);
	else if (machine->depth > 1)
		machine_return(machine);
	if (what == 50)
		put(machine->fixture);
}

/* Below the node at top. */
static void check_truth(const struct fixture *fixture, const struct truth *truth, uint32_t top)
{
	const struct calltree *tree = fixture->tree;
	uint32_t *node = calloc(truth->count, sizeof(*node));

	assert_non_null(node);
	assert_int_equal(tree->dropped_count, 0);
	assert_int_equal(tree->node_count, truth->count + tree->nodes[top].depth);
	node[0] = top;
	for (uint32_t i = 1; i < truth->count; i++) {
		uint32_t child = tree->nodes[node[truth->parent[i]]].first_child;

		while (child != CALLTREE_NONE &&
		       tree->nodes[child].region != region_of(fixture, truth->function[i]))
			child = tree->nodes[child].next_sibling;
		assert_int_not_equal(child, CALLTREE_NONE);
		assert_int_equal(tree->nodes[child].count, truth->calls[i]);
		assert_true(tree->nodes[child].sum_ns == (double)truth->time[i]);
		node[i] = child;
	}
	free(node);
}

/* With a trace, what was recorded otherwise lies around and between the calls. */
static void run_program(struct truth *truth, uint64_t seed, bool is_traced)
{
	struct fixture fixture = fixture_new(is_traced ? KYMO_HEADER_TRACE : KYMO_HEADER_PROFILE);
	struct machine machine = {.fixture = &fixture, .truth = truth, .depth = 1, .seed = seed};
	uint32_t program = 0, top;

	if (is_traced) {
		program = synthetic_region(fixture.synthetic, KYMO_REGION_PROGRAM, "app");
		synthetic_enter(fixture.synthetic, fixture.thread, program, 0);
	}
	memset(truth, 0, sizeof(*truth));
	truth->count = 1;
	machine.calls[0] = (struct call){.function = FUNCTIONS, .slot = seed, .frame = 4};
	for (uint32_t i = 0; i < 3000; i++)
		machine_step(&machine);
	while (machine.depth > 1) {
		machine.time += 10;
		machine_return(&machine);
	}
	load(&fixture, machine.time + 1);
	top = fixture.tree->thread_root[fixture.thread];
	assert_int_equal(fixture.tree->is_replayed, is_traced);
	if (is_traced) {
		top = fixture.tree->nodes[top].first_child;
		assert_int_equal(fixture.tree->nodes[top].region, program);
	}
	check_truth(&fixture, truth, top);
	fixture_free(&fixture);
}

static void test_any_program(void **state)
{
	struct truth *truth = malloc(sizeof(*truth));

	(void)state;
	assert_non_null(truth);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		run_program(truth, seed, false);
		run_program(truth, seed, true);
	}
	free(truth);
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
		cmocka_unit_test(test_marks_close_what_is_open),
		cmocka_unit_test(test_others_time_is_in_no_call),
		cmocka_unit_test(test_others_time_beside_events),
		cmocka_unit_test(test_stops_from_outside_close_what_is_open),
		cmocka_unit_test(test_only_stops_of_the_log_are_known),
		cmocka_unit_test(test_calls_without_ends_are_counted),
		cmocka_unit_test(test_what_is_open_when_the_process_is_killed),
		cmocka_unit_test(test_damage_is_counted_and_passed),
		cmocka_unit_test(test_is_a_part_of_the_program),
		cmocka_unit_test(test_others_go_below_the_outermost_function),
		cmocka_unit_test(test_a_wait_goes_where_it_fits),
		cmocka_unit_test(test_a_wait_is_shared_out),
		cmocka_unit_test(test_any_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
