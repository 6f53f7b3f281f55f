/* Calls that were only counted: in the call tree, and told to people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "functions_fixture.h"
#include "model/functions/throttled_calls.h"

#define START UINT64_C(0x400000)
#define STACK UINT64_C(0x7ffc12345678)
#define LATE  UINT64_C(500000000) /* half a second */

enum { OUTER, INNER, OTHER, NOT_TAKEN, FUNCTIONS };

static struct fixture fixture_new(void)
{
	struct fixture fixture = {.synthetic = synthetic_new(KYMO_HEADER_PROFILE)};
	struct kymo_function_range places[FUNCTIONS];

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		places[i] = (struct kymo_function_range){
			0x100 * i, 0x80 | (i == NOT_TAKEN ? 0 : KYMO_FUNCTION_TAKEN)};
	synthetic_functions(fixture.synthetic, START, FIRST_ID, PATCH_COST_FULL, places, FUNCTIONS);
	synthetic_module(fixture.synthetic, "/nowhere/app", NULL, START, START + 0x10000, START);
	fixture.thread = synthetic_thread(fixture.synthetic, KYMO_NO_THREAD, "main", 0);
	function_events_begin(&fixture.pairs, 0);
	function_events_enter(&fixture.pairs, FIRST_ID + OUTER, STACK, 100);
	function_events_enter(&fixture.pairs, FIRST_ID + INNER, STACK - 64, 200);
	function_events_exit(&fixture.pairs, STACK - 64, 300);
	function_events_exit(&fixture.pairs, STACK, 1000);
	return fixture;
}

static void load(struct fixture *fixture, const struct kymo_throttled *brief, uint32_t count)
{
	function_events_put(&fixture->pairs, fixture->synthetic, fixture->thread);
	synthetic_throttled(fixture->synthetic, fixture->thread, brief, count);
	synthetic_close(fixture->synthetic, 2 * LATE);
	fixture->recording = synthetic_open(fixture->synthetic);
	assert_int_equal(calltree_new(fixture->recording, &fixture->tree, NULL), KYMO_OK);
}

static struct kymo_throttled brief(uint32_t function, uint64_t calls)
{
	return (struct kymo_throttled){
		.id = FIRST_ID + function, .since = SYNTHETIC_START_TICKS + LATE, .calls = calls};
}

static void they_are_an_entry_without_a_time(void **state)
{
	struct fixture fixture = fixture_new();
	const struct kymo_throttled records[] = {brief(INNER, 1000), brief(OTHER, 0)};
	const struct calltree_node *node;

	(void)state;
	load(&fixture, records, 2);
	node = AT(&fixture, OUTER, INNER);
	assert_non_null(node);
	assert_int_equal(node->count, 1);
	node = AT(&fixture, INNER);
	assert_non_null(node);
	assert_int_equal(node->count, 1000);
	assert_true(node->sum_ns == 0 && node->closed_count == 0);
	assert_null(AT(&fixture, OTHER));
	assert_int_equal(fixture.tree->throttled_call_count, 1000);
	assert_int_equal(fixture.tree->function_call_count, 1002);
	assert_int_equal(fixture.tree->dropped_count, 0);
	fixture_free(&fixture);
}

static void what_cannot_be_is_dropped(void **state)
{
	struct fixture fixture = fixture_new();
	const struct kymo_throttled records[] = {brief(NOT_TAKEN, 5), brief(FUNCTIONS, 5),
						 brief(UINT32_MAX - FIRST_ID, 5),
						 brief(INNER, UINT64_C(1) << 60), brief(INNER, 7)};

	(void)state;
	load(&fixture, records, 5);
	assert_int_equal(fixture.tree->dropped_count, 4);
	assert_int_equal(fixture.tree->throttled_call_count, 7);
	fixture_free(&fixture);
}

static void people_are_told_which_and_since_when(void **state)
{
	struct fixture fixture = fixture_new();
	const struct kymo_throttled records[] = {brief(INNER, 1000), brief(OTHER, 2000)};
	char text[512] = "", less[24];

	(void)state;
	load(&fixture, records, 2);
	assert_true(throttled_calls_text(fixture.recording, text, sizeof(text)));
	assert_non_null(strstr(text, "2 functions were called too often"));
	assert_non_null(strstr(text, "from 0.50 s on"));
	assert_non_null(strstr(text, ": app+0x200, app+0x100"));
	assert_true(throttled_calls_text(fixture.recording, less, sizeof(less)));
	assert_int_equal(strlen(less), sizeof(less) - 1);
	fixture_free(&fixture);
	fixture = fixture_new();
	load(&fixture, records, 0);
	assert_false(throttled_calls_text(fixture.recording, text, sizeof(text)));
	fixture_free(&fixture);
}

/* Of a second, a budget of 5 %. */
static bool is_over_budget(uint64_t calls, const char *cost_ps, char *text, size_t size)
{
	struct fixture fixture = fixture_new();
	const struct kymo_throttled records[] = {brief(INNER, calls / 4),
						 brief(OTHER, calls - calls / 4)};
	bool is_over;

	synthetic_note(fixture.synthetic, KYMO_NOTE_SETTING, "FUNCTIONS_BUDGET", "5");
	if (cost_ps)
		synthetic_note(fixture.synthetic, KYMO_NOTE_INFO, KYMO_COUNTED_CALL_COST_NOTE,
			       cost_ps);
	load(&fixture, records, 2);
	is_over = throttled_calls_over_budget(fixture.recording, text, size);
	fixture_free(&fixture);
	return is_over;
}

static void a_budget_that_counting_alone_exceeds_is_stated(void **state)
{
	char text[512] = "";

	(void)state;
	assert_false(is_over_budget(47000000, "1000", text, sizeof(text)));
	assert_false(is_over_budget(UINT64_C(1) << 40, NULL, text, sizeof(text)));
	assert_string_equal(text, "");
	assert_true(is_over_budget(200000000, "1000", text, sizeof(text)));
	assert_string_equal(text,
			    "the budget of 5 % was not kept: counting alone took 25.0 % of the "
			    "program's own time; leave out app+0x200 by -E, or accept the "
			    "overhead");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_an_entry_without_a_time),
		cmocka_unit_test(what_cannot_be_is_dropped),
		cmocka_unit_test(people_are_told_which_and_since_when),
		cmocka_unit_test(a_budget_that_counting_alone_exceeds_is_stated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
