/* How often a thread looks whether it was switched: as often as that is cheap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collectors/functions/counts/funcpatch_switched.h"

/* Calls of length ticks, after each of which a look of cost ticks is made where one may be; one
 * look in a hundred takes slow ticks, as when others have the processor in it.  What all looks took
 * but for these, of the time. */
static double share_of(uint64_t length, uint64_t cost, uint64_t slow, uint32_t *looks)
{
	struct switched switched = {0};
	uint64_t now = 1000, spent = 0;

	*looks = 0;
	for (uint32_t i = 0; i < 200000; i++) {
		uint64_t took = ++*looks % 100 == 0 ? slow : cost;

		now += length;
		if (!switched_is_due(&switched, now)) {
			--*looks;
			continue;
		}
		switched_pay(&switched, now, took);
		now += took;
		spent += cost;
		switched.ticks = now;
	}
	return (double)spent / (double)now;
}

static void test_slow_looks_are_rare(void **state)
{
	uint32_t looks;

	(void)state;
	for (uint64_t cost = 10; cost <= 1000000; cost *= 10)
		assert_true(share_of(1000, cost, cost, &looks) <= 1.01 / SWITCHED_SHARE);
	assert_true(share_of(1000, 10000, 1000000, &looks) <= 1.01 / SWITCHED_SHARE);
}

static void test_cheap_looks_are_made_each_time(void **state)
{
	uint32_t looks;

	(void)state;
	(void)share_of(100000, 400, 400, &looks);
	assert_int_equal(looks, 200000);
}

/* Calls of a third of the time that a look needs are looked at together, where others take longer.
 */
static void test_what_was_spared_is_there_for_more(void **state)
{
	struct switched switched = {.ticks = 1000, .cost_ticks = 400};
	uint64_t now = 1000;
	uint32_t looks = 0;

	(void)state;
	for (uint32_t i = 0; i < 300; i++) {
		now += i % 2 == 0 ? 30000 : 150000;
		if (!switched_is_due(&switched, now))
			continue;
		looks++;
		switched_pay(&switched, now, 400);
		switched.ticks = now;
	}
	assert_true(looks >= 299);
}

/* One look that was held up does not end all that follow. */
static void test_a_look_that_was_held_up_is_forgotten(void **state)
{
	struct switched switched = {.cost_ticks = 1000};

	(void)state;
	switched_pay(&switched, 0, 100000000);
	assert_true(switched.cost_ticks < 2 * 1000);
	for (uint32_t i = 0; i < 8; i++)
		switched_pay(&switched, 0, 1000);
	assert_true(switched.cost_ticks < 1100);
}

/* Nor does the first one of all. */
static void test_a_first_look_that_was_held_up_is_forgotten(void **state)
{
	struct switched switched = {0};

	(void)state;
	switched_pay(&switched, 0, 10000000);
	switched_pay(&switched, 0, 900);
	switched_pay(&switched, 0, 1000);
	assert_true(switched.cost_ticks < 1000);
}

/* Who was away for a time slice looks at once. */
static void test_a_thread_that_was_away_may_look(void **state)
{
	const struct switched switched = {.ticks = 5000, .cost_ticks = 10000};

	(void)state;
	assert_false(switched_is_due(&switched, 5000 + 100000));
	assert_true(switched_is_due(&switched, 5000 + 10000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow_looks_are_rare),
		cmocka_unit_test(test_cheap_looks_are_made_each_time),
		cmocka_unit_test(test_what_was_spared_is_there_for_more),
		cmocka_unit_test(test_a_look_that_was_held_up_is_forgotten),
		cmocka_unit_test(test_a_first_look_that_was_held_up_is_forgotten),
		cmocka_unit_test(test_a_thread_that_was_away_may_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
