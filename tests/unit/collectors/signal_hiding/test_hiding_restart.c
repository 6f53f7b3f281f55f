/* Calls that are begun again, and the time that is left to them. */
#include "collectors/signal_hiding/hiding_restart.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hiding_fixture.h"

static uint64_t mask_set;
static unsigned masks, rounds;
static sigset_t round_mask;
static bool is_handled; /* a handler of the program's runs in a round */

static int fake_mask(int how, const sigset_t *set, sigset_t *before)
{
	(void)before;
	assert_int_equal(how, SIG_SETMASK);
	mask_set = hiding_bits(set);
	masks++;
	errno = EBADF;
	return 0;
}

/* Is interrupted twice, then gives 7. */
static int once(const void *what, const sigset_t *mask)
{
	assert_string_equal(what, "what");
	round_mask = *mask;
	kymo_wait_current.handled += is_handled;
	return ++rounds < 3 ? hiding_interrupt() : 7;
}

static int begin(void **state)
{
	(void)state;
	hiding_begin(hiding_bit(60));
	hiding_found.pthread_sigmask = fake_mask;
	masks = rounds = 0;
	is_handled = false;
	return 0;
}

static void test_until_sampling_is_not_the_cause(void **state)
{
	struct hiding_call call = {.is_blocked = true, .mask = hiding_bit(SIGUSR1)};

	(void)state;
	assert_int_equal(hiding_continue(&call, SYS_poll, once, "what", NULL), 7);
	assert_int_equal(rounds, 3);
	assert_int_equal(hiding_bits(&round_mask), hiding_bit(SIGUSR1)); /* the program's */
	assert_int_equal(masks, 1); /* what was held back is let through behind it */
	assert_int_equal(mask_set, hiding_bit(SIGUSR1));
	assert_false(call.is_blocked);
	assert_int_equal(kymo_wait_current.stack, 0);
}

/* A signal of the program's ends the call, whatever else came. */
static void test_a_handler_of_the_programs(void **state)
{
	struct hiding_call call = {.is_blocked = true};

	(void)state;
	is_handled = true;
	assert_int_equal(hiding_continue(&call, SYS_poll, once, "what", NULL), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(rounds, 1);
}

static void test_calls_without_a_mask(void **state)
{
	struct hiding_call call = {.is_blocked = true, .mask = 1};

	(void)state;
	errno = EINTR;
	assert_true(hiding_repeats(&call, true));
	assert_int_equal(errno, EINTR); /* kept */
	assert_int_equal(masks, 1);
	assert_false(hiding_repeats(&call, true)); /* sampling did not come */
	call.is_blocked = true;
	assert_false(hiding_repeats(&call, false)); /* it was not ended */
	call.is_blocked = true;
	kymo_wait_current.handled++;
	assert_false(hiding_repeats(&call, true));
	assert_int_equal(masks, 3);
}

static void test_deadlines(void **state)
{
	const struct timespec hour = {3600, 5}, endless = {INT64_MAX, 0};
	struct timespec rest;
	int64_t now = hiding_now_ns(CLOCK_MONOTONIC);

	(void)state;
	assert_int_equal(hiding_deadline(CLOCK_MONOTONIC, NULL), HIDING_FOREVER);
	assert_int_equal(hiding_deadline(CLOCK_MONOTONIC, &endless), HIDING_FOREVER);
	assert_true(hiding_deadline(CLOCK_MONOTONIC, &hour) - now >= INT64_C(3600000000005));
	assert_null(hiding_rest(CLOCK_MONOTONIC, HIDING_FOREVER, &rest));
	assert_ptr_equal(hiding_rest(CLOCK_MONOTONIC, 1, &rest), &rest); /* long over */
	assert_int_equal(rest.tv_sec + rest.tv_nsec, 0);
	hiding_rest(CLOCK_MONOTONIC, now + INT64_C(7200) * NS_PER_S, &rest);
	assert_in_range(rest.tv_sec, 1, 7200);
	assert_in_range(rest.tv_nsec, 0, NS_PER_S - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_until_sampling_is_not_the_cause, begin),
		cmocka_unit_test_setup(test_a_handler_of_the_programs, begin),
		cmocka_unit_test_setup(test_calls_without_a_mask, begin),
		cmocka_unit_test_setup(test_deadlines, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
