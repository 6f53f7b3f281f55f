/* Which calls of a counted function are timed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collectors/functions/counts/funcpatch_interval.h"

static void test_the_first_calls_are_all_timed(void **state)
{
	(void)state;
	assert_int_equal(interval_next(1, INTERVAL_ALL_TIMED - 1, false), 1);
	assert_true(interval_next(1, INTERVAL_ALL_TIMED, false) >= INTERVAL_FIRST);
	assert_int_equal(interval_next(1, INTERVAL_ALL_TIMED, true), 1);
	assert_int_equal(interval_next(1, INTERVAL_ALL_TIMED_CHEAP, true), INTERVAL_FIRST);
}

static void test_then_ever_fewer_are(void **state)
{
	uint32_t sampling_interval = 1;

	(void)state;
	for (uint64_t timed = 0; timed < 100000; timed++) {
		uint32_t next = interval_next(sampling_interval, timed, false);

		assert_true(next >= sampling_interval && next <= INTERVAL_MAX);
		sampling_interval = next;
	}
	assert_int_equal(sampling_interval, INTERVAL_MAX);
}

static void test_timing_is_cheap_at_first_and_for_what_is_long(void **state)
{
	struct timing_tally thread = {.timed = INTERVAL_CHEAP_TIMED, .stood_for = 1};

	(void)state;
	assert_true(interval_is_cheap(&thread, 1, 0, 100));
	thread.timed = 2 * INTERVAL_CHEAP_TIMED;
	assert_false(interval_is_cheap(&thread, 1, 0, 100));
	assert_true(interval_is_cheap(&thread, 2, UINT64_C(2) * 100 * INTERVAL_CHEAP_TIMES, 100));
	thread.stood_for = thread.timed * INTERVAL_CHEAP_CALLS;
	assert_true(interval_is_cheap(&thread, 1, 0, 100));
}

static void test_all_calls_of_long_functions_are_timed(void **state)
{
	const uint64_t length = UINT64_C(100) * INTERVAL_LONG_TIMES;
	struct timing_tally thread = {.since = 1000};

	(void)state;
	assert_true(interval_is_long(&thread, 2, 2 * length, 100, 1000 + length));
	assert_false(interval_is_long(&thread, 2, 2 * length - 1, 100, 1000 + length));
	thread.of_long = 1; /* and not more than the time holds */
	assert_false(interval_is_long(&thread, 2, 2 * length, 100, 1000 + length));
	assert_false(interval_is_long(&thread, 0, 0, 0, 1000 + length));
}

/* Where each call is timed, each is kept. */
static void test_a_call_after_a_while_is_cold(void **state)
{
	(void)state;
	assert_false(interval_is_cold(INTERVAL_FIRST, INTERVAL_COLD_TICKS - 1));
	assert_true(interval_is_cold(INTERVAL_FIRST, INTERVAL_COLD_TICKS));
	assert_false(interval_is_cold(1, INTERVAL_COLD_TICKS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_calls_are_all_timed),
		cmocka_unit_test(test_then_ever_fewer_are),
		cmocka_unit_test(test_timing_is_cheap_at_first_and_for_what_is_long),
		cmocka_unit_test(test_all_calls_of_long_functions_are_timed),
		cmocka_unit_test(test_a_call_after_a_while_is_cold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
