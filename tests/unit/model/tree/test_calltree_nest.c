/* What other collectors recorded in the time of instrumented functions goes below these. */
#include "model/tree/build/calltree_nest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "functions_fixture.h"
#include "model/functions/function_events.h"
#include "patch/apply/patchabi.h"

#define START 0x400000u
#define STACK UINT64_C(0x7ffc12345678)
#define MS    UINT64_C(1000000)

enum { OUTER, WAITS, FUNCTIONS };

/* outer() takes 1000 ms, of which waits() own_ms, in which somebody waited for wait_ms.  For so
 * long as it was, the wait fits into the outermost function only if that has the time left. */
static void build(struct fixture *fixture, uint32_t cost, uint64_t own_ms, uint64_t wait_ms)
{
	struct kymo_function_range places[FUNCTIONS];
	struct problem problem = {""};
	uint32_t program, wait;

	*fixture = (struct fixture){.synthetic = synthetic_new(KYMO_HEADER_PROFILE)};
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		places[i] =
			(struct kymo_function_range){0x100 * i + 0x40, 0x80 | KYMO_FUNCTION_TAKEN};
	synthetic_functions(fixture->synthetic, START, FIRST_ID, cost, places, FUNCTIONS);
	synthetic_module(fixture->synthetic, "/nowhere/app", NULL, START, START + 0x10000, START);
	program = synthetic_region(fixture->synthetic, KYMO_REGION_PROGRAM, "app");
	wait = synthetic_region(fixture->synthetic, KYMO_REGION_PTHREAD, "wait");
	fixture->thread = synthetic_thread(fixture->synthetic, KYMO_NO_THREAD, "main", 0);
	function_events_begin(&fixture->pairs, 0);
	function_events_enter(&fixture->pairs, FIRST_ID + OUTER, STACK, 0);
	function_events_enter(&fixture->pairs, FIRST_ID + WAITS, STACK - 32, 10 * MS);
	function_events_exit(&fixture->pairs, STACK - 32, (10 + own_ms) * MS);
	function_events_exit(&fixture->pairs, STACK, 1000 * MS);
	function_events_put(&fixture->pairs, fixture->synthetic, fixture->thread);
	synthetic_enter(fixture->synthetic, fixture->thread, program, 0);
	synthetic_enter(fixture->synthetic, fixture->thread, wait, 15 * MS);
	synthetic_leave(fixture->synthetic, fixture->thread, wait, (15 + wait_ms) * MS);
	synthetic_leave(fixture->synthetic, fixture->thread, program, 1000 * MS);
	synthetic_close(fixture->synthetic, 1000 * MS);
	fixture->recording = synthetic_open(fixture->synthetic);
	if (calltree_new(fixture->recording, &fixture->tree, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
}

/* Its only node; NULL = it has none. */
static const struct calltree_node *find_function(const struct fixture *fixture, uint32_t function)
{
	for (uint32_t i = 0; i < fixture->tree->node_count; i++)
		if (fixture->tree->nodes[i].region == region_of(fixture, function))
			return &fixture->tree->nodes[i];
	return NULL;
}

/* The time of the wait below waits(); 0 = it is elsewhere. */
static double waited(uint32_t cost, uint64_t own_ms, uint64_t wait_ms)
{
	const struct calltree_node *waits;
	struct fixture fixture;
	double found = 0;

	build(&fixture, cost, own_ms, wait_ms);
	waits = find_function(&fixture, WAITS);
	assert_non_null(waits);
	if (waits->first_child != CALLTREE_NONE)
		found = fixture.tree->nodes[waits->first_child].sum_ns;
	fixture_free(&fixture);
	return found;
}

static void test_a_wait_is_where_it_fits(void **state)
{
	(void)state;
	assert_true(waited(PATCH_COST_FULL, 900, 850) == 850e6);
	assert_true(waited(PATCH_COST_COARSE, 900, 850) == 850e6);
}

/* No function has time for it: not below one alone. */
static void test_what_is_too_long_is_not_below_one(void **state)
{
	(void)state;
	assert_true(waited(PATCH_COST_FULL, 900, 910) == 900e6);
	assert_true(waited(PATCH_COST_COARSE, 900, 960) == 900e6);
}

/* Its clock was late: as long as the function, at most. */
static void test_under_a_coarse_clock_a_function_may_seem_short(void **state)
{
	struct fixture fixture;

	(void)state;
	assert_true(waited(PATCH_COST_COARSE, 900, 915) == 900e6);
	build(&fixture, PATCH_COST_COARSE, 900, 915);
	assert_true(find_function(&fixture, OUTER)->self_ns == 100e6);
	fixture_free(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_wait_is_where_it_fits),
		cmocka_unit_test(test_what_is_too_long_is_not_below_one),
		cmocka_unit_test(test_under_a_coarse_clock_a_function_may_seem_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
