/* Which calls an enter and an exit close, when slots do not fall. */
#include "model/tree/build/frames_open.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define TAIL	KYMO_FUNCTION_TAIL_CALLS
#define THROUGH KYMO_FUNCTION_CALL_THROUGH
#define SLOTS	(PATCH_SLOT_MASK + 1)

static struct frames_open frames;

static int begin(void **state)
{
	(void)state;
	memset(&frames, 0, sizeof(frames));
	return 0;
}

static int end(void **state)
{
	(void)state;
	frames_release(&frames);
	return 0;
}

static void push(uint32_t slot, uint32_t id, uint32_t flags)
{
	assert_non_null(frames_push(&frames, slot & PATCH_SLOT_MASK, id, flags));
}

static size_t entered(uint32_t slot, uint32_t id)
{
	return frames_closed_by_enter(&frames, slot & PATCH_SLOT_MASK, id);
}

static void test_deeper_calls_close_nothing(void **state)
{
	(void)state;
	assert_int_equal(entered(5, 1), 0);
	for (uint32_t i = 0; i < 3 * SLOTS; i++) {
		push(0u - 3 * i, 1, 0);
		assert_int_equal(entered(0u - 3 * i - 1, 2), 0);
		assert_int_equal(entered(0u - 3 * i - PATCH_SLOT_MASK / 2, 2), 0);
	}
}

static void test_the_same_slot_again(void **state)
{
	(void)state;
	push(100, 1, 0);
	push(90, 2, 0);
	assert_int_equal(entered(90, 3), 1); /* it ended, unseen */
	push(90, 3, 0);
	assert_int_equal(entered(90, 4), 2);
}

/* Up to where a frame lay: what is below is gone.  Else it may be a large frame. */
static void test_higher_up(void **state)
{
	(void)state;
	push(100, 1, 0);
	push(90, 2, 0);
	push(80, 3, 0);
	assert_int_equal(entered(90, 4), 2);
	assert_int_equal(entered(100, 4), 3);
	assert_int_equal(entered(95, 4), 0);
	assert_int_equal(entered(110, 4), 0);
}

static void test_slots_are_a_ring(void **state)
{
	(void)state;
	push(5, 1, 0);
	push(0u - 5, 2, 0);
	push(0u - 15, 3, 0);
	assert_int_equal(entered(5, 4), 3);
	assert_int_equal(entered(0u - 5, 4), 2);
}

/* f ends in g, which has the place of its frame: both are open, until one jumps where one was. */
static void test_jumps_instead_of_calls(void **state)
{
	(void)state;
	push(100, 1, TAIL);
	push(90, 2, TAIL);
	assert_int_equal(entered(90, 3), 0);
	push(90, 3, TAIL);
	assert_int_equal(entered(90, 2), 2); /* the loop goes around */
	assert_int_equal(entered(90, 3), 1);
	assert_int_equal(entered(90, 4), 0);
	assert_int_equal(entered(100, 5), 3);
}

static void test_chains_of_jumps_are_bounded(void **state)
{
	(void)state;
	push(100, 0, 0);
	for (uint32_t i = 1; i < FRAMES_CHAIN_MAX; i++) {
		assert_int_equal(entered(90, i), 0);
		push(90, i, TAIL);
	}
	push(90, FRAMES_CHAIN_MAX, TAIL);
	assert_int_equal(entered(90, 1000), FRAMES_CHAIN_MAX);
}

static void test_exits(void **state)
{
	size_t unwound = 99;

	(void)state;
	push(100, 1, 0);
	push(90, 2, TAIL);
	push(90, 3, 0);
	push(80, 4, 0);
	assert_int_equal(frames_closed_by_exit(&frames, 70, &unwound), 0);
	assert_int_equal(unwound, 99);
	/* Of the two at 90 the outer one jumped to the inner: they end together. */
	assert_int_equal(frames_closed_by_exit(&frames, 90, &unwound), 3);
	assert_int_equal(unwound, 1);
	assert_int_equal(frames_closed_by_exit(&frames, 80, &unwound), 1);
	assert_int_equal(unwound, 0);
	for (int i = 0; i < 3; i++)
		frames_pop(&frames);
	assert_int_equal(frames_closed_by_exit(&frames, 90, &unwound), 0);
	assert_int_equal(frames_closed_by_exit(&frames, 100, &unwound), 1);
}

/* Of those that are called through each has an exit of its own. */
static void test_exits_of_those_called_through(void **state)
{
	size_t unwound;

	(void)state;
	push(90, 1, TAIL | THROUGH);
	push(90, 2, 0);
	assert_int_equal(frames_closed_by_exit(&frames, 90, &unwound), 1);
	frames_pop(&frames);
	push(90, 2, THROUGH);
	assert_int_equal(frames_closed_by_exit(&frames, 90, &unwound), 2);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_deeper_calls_close_nothing),
		CASE(test_the_same_slot_again),
		CASE(test_higher_up),
		CASE(test_slots_are_a_ring),
		CASE(test_jumps_instead_of_calls),
		CASE(test_chains_of_jumps_are_bounded),
		CASE(test_exits),
		CASE(test_exits_of_those_called_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
