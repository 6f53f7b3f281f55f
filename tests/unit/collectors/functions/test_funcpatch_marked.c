/* The slow path of records with marks of time: what it writes, and where it leaves the cursor. */
#include "collectors/functions/records/funcpatch_marked.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

__thread struct funcpatch_thread *funcpatch_self;
struct funcpatch_settings funcpatch_settings;

static struct funcpatch_thread thread;
static struct patch_thread_state hot;
static uint8_t bytes[256];
static uint64_t now, gone; /* ticks that others had */
static bool has_room;

uint64_t funcpatch_now(void)
{
	return now;
}

uint64_t funcpatch_away_measure(struct funcpatch_thread *self, uint64_t since)
{
	(void)self, (void)since;
	return gone;
}

void funcpatch_thread_refill(void *self)
{
	((struct funcpatch_thread *)self)->at = bytes;
	hot.limit = bytes + sizeof(bytes);
}

bool funcpatch_apart(void (*function)(void *))
{
	if (has_room)
		function(funcpatch_self);
	return has_room;
}

static int begin(void **state)
{
	(void)state;
	funcpatch_settings.cost = PATCH_COST_COARSE;
	memset(&thread, 0, sizeof(thread));
	memset(bytes, 0, sizeof(bytes));
	thread.hot = &hot;
	hot = (struct patch_thread_state){.cursor = bytes, .limit = bytes + sizeof(bytes)};
	funcpatch_self = &thread;
	now = 5000;
	gone = 0;
	has_room = true;
	return 0;
}

static uint64_t ticks_at(const uint8_t *at)
{
	uint64_t ticks;

	memcpy(&ticks, at, sizeof(ticks));
	return ticks;
}

static bool is_marked_here(void)
{
	return PATCH_IS_MARKED(PATCH_COST_COARSE);
}

static void test_the_time_is_written_when_it_has_changed(void **state)
{
	uint32_t enter;
	uint16_t exit;

	(void)state;
	if (!is_marked_here())
		skip();
	assert_true(funcpatch_marked_put(&hot, false, 7, 0));
	assert_int_equal(bytes[0], PATCH_MARK_TIME << 2);
	assert_int_equal(ticks_at(bytes + 1), 5000);
	memcpy(&enter, bytes + PATCH_MARK_BYTES, sizeof(enter));
	assert_int_equal(enter & 3, 1);
	assert_int_equal(enter >> PATCH_MARKED_ID_SHIFT, 7);
	assert_int_equal(hot.last, 5000);
	assert_true(funcpatch_marked_put(&hot, true, 7, 8)); /* at the same time: no mark */
	memcpy(&exit, bytes + PATCH_MARK_BYTES + PATCH_MARKED_ENTER_BYTES, sizeof(exit));
	assert_int_equal(exit, 2 | 1 << PATCH_MARKED_SLOT_SHIFT);
	assert_ptr_equal(hot.cursor, bytes + PATCH_MARK_BYTES + PATCH_MARKED_ENTER_BYTES +
					     PATCH_MARKED_EXIT_BYTES);
}

static void test_closed_and_opened(void **state)
{
	(void)state;
	if (!is_marked_here())
		skip();
	assert_true(funcpatch_marked_close(&hot));
	assert_true((uintptr_t)hot.cursor >= PATCH_CURSOR_CLOSED);
	assert_false(funcpatch_marked_close(&hot)); /* it is */
	assert_ptr_equal(funcpatch_marked_cursor(&thread), bytes);
	funcpatch_marked_open(&hot);
	assert_ptr_equal(hot.cursor, bytes);
	funcpatch_settings.cost = PATCH_COST_FULL;
	assert_false(funcpatch_marked_close(&hot));
	assert_ptr_equal(hot.cursor, bytes);
}

static void test_a_full_chunk(void **state)
{
	(void)state;
	if (!is_marked_here())
		skip();
	hot.cursor = hot.limit;
	assert_true(funcpatch_marked_put(&hot, true, 0, 0)); /* in the next one */
	assert_ptr_equal(hot.cursor, bytes + PATCH_MARK_BYTES + PATCH_MARKED_EXIT_BYTES);
	hot.cursor = hot.limit;
	has_room = false;
	assert_false(funcpatch_marked_put(&hot, true, 0, 0));
	assert_true((uintptr_t)hot.cursor >= PATCH_CURSOR_CLOSED);
}

/* A window that began before the latest record begins behind it. */
static void test_windows(void **state)
{
	(void)state;
	if (!is_marked_here())
		skip();
	funcpatch_marked_put(&hot, false, 1, 0);
	hot.cursor = bytes;
	thread.at = bytes;
	funcpatch_marked_window(&thread, 4000, 6000);
	funcpatch_marked_window(&thread, 6500, 7000); /* not written yet: one window */
	assert_int_equal(hot.last, 0);
	now = 8000;
	funcpatch_marked_put(&hot, false, 1, 0);
	assert_int_equal(bytes[0], PATCH_MARK_OFF << 2);
	assert_int_equal(ticks_at(bytes + 1), 5000);
	assert_int_equal(bytes[PATCH_MARK_BYTES], PATCH_MARK_ON << 2);
	assert_int_equal(ticks_at(bytes + PATCH_MARK_BYTES + 1), 7000);
	assert_int_equal(thread.has_window, 0);
}

/* It is looked for after a pause, or where there was some a moment ago. */
static void test_time_that_others_had(void **state)
{
	(void)state;
	if (!is_marked_here())
		skip();
	gone = 900;
	hot.last = 4000;
	funcpatch_marked_put(&hot, false, 1, 0);
	assert_int_equal(bytes[0], PATCH_MARK_TIME << 2);
	hot.cursor = bytes;
	hot.last = 4000;
	thread.away.is_crowded = true;
	funcpatch_marked_put(&hot, false, 1, 0);
	assert_int_equal(bytes[0], PATCH_MARK_AWAY << 2);
	assert_int_equal(ticks_at(bytes + 1), 900);
	hot.cursor = bytes;
	hot.last = 4000;
	thread.away.is_crowded = false;
	now = 4000 + PATCH_PAUSE_TICKS;
	funcpatch_marked_put(&hot, false, 1, 0);
	assert_int_equal(bytes[0], PATCH_MARK_AWAY << 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_the_time_is_written_when_it_has_changed, begin),
		cmocka_unit_test_setup(test_closed_and_opened, begin),
		cmocka_unit_test_setup(test_a_full_chunk, begin),
		cmocka_unit_test_setup(test_windows, begin),
		cmocka_unit_test_setup(test_time_that_others_had, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
