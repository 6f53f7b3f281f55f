/* What the tests of call trees of instrumented functions share: the functions, and their enters and
 * exits by function, slot of the stack and time. */
#ifndef KYMO_CALLTREE_FUNCTIONS_FIXTURE_H
#define KYMO_CALLTREE_FUNCTIONS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "functions_fixture.h"

#define START	  0x400000u
#define STACK	  UINT64_C(0x7ffc12345678)
#define FUNCTIONS 13u

/* f + i: plain ones; then one that may end in another, one that is called through and may, one
 * without exits, one that was not taken. */
enum { F0, F1, F2, F3, F4, F5, F6, F7, TAIL, THROUGH, NO_EXIT, NOT_TAKEN, ALSO };

static inline void add_functions(struct synthetic *synthetic)
{
	struct kymo_function_range places[FUNCTIONS];

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		places[i] =
			(struct kymo_function_range){0x100 * i + 0x40, 0x80 | KYMO_FUNCTION_TAKEN};
	places[TAIL].size_flags |= KYMO_FUNCTION_TAIL_CALLS;
	places[THROUGH].size_flags |= KYMO_FUNCTION_TAIL_CALLS | KYMO_FUNCTION_CALL_THROUGH;
	places[ALSO].size_flags = places[THROUGH].size_flags;
	places[NO_EXIT].size_flags |= KYMO_FUNCTION_NO_EXIT;
	places[NOT_TAKEN].size_flags &= ~KYMO_FUNCTION_TAKEN;
	synthetic_functions(synthetic, START, FIRST_ID, PATCH_COST_FULL, places, FUNCTIONS);
	synthetic_module(synthetic, "/nowhere/app", NULL, START, START + 0x10000, START);
}

static inline struct fixture fixture_new(uint32_t flags)
{
	struct fixture fixture = {.synthetic = synthetic_new(flags)};

	add_functions(fixture.synthetic);
	fixture.thread = synthetic_thread(fixture.synthetic, KYMO_NO_THREAD, "main", 0);
	function_events_begin(&fixture.pairs, 0);
	return fixture;
}

static inline void enter(struct fixture *fixture, uint32_t function, uint64_t slot, uint64_t time)
{
	function_events_enter(&fixture->pairs, FIRST_ID + function, STACK - 8 * slot, time);
}

static inline void leave(struct fixture *fixture, uint64_t slot, uint64_t time)
{
	function_events_exit(&fixture->pairs, STACK - 8 * slot, time);
}

static inline void put(struct fixture *fixture)
{
	function_events_put(&fixture->pairs, fixture->synthetic, fixture->thread);
}

static inline void load(struct fixture *fixture, uint64_t end)
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

static inline void assert_node(const struct calltree_node *node, uint64_t count, double sum,
			       double self)
{
	assert_non_null(node);
	assert_int_equal(node->count, count);
	assert_true(node->sum_ns == sum);
	assert_true(node->self_ns == self);
}

#endif
