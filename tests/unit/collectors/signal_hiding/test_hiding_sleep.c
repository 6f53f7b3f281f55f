/* Sleeps that go on for what is left of them. */
#include "collectors/signal_hiding/hiding_sleep.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hiding_fixture.h"

static unsigned naps;
static int go_on_result;

static int fake_nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)time, (void)rest;
	naps++;
	return hiding_interrupt();
}

static int fake_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
				struct timespec *rest)
{
	(void)clock, (void)flags, (void)time, (void)rest;
	if (++naps > 2)
		return 0;
	hiding_interrupt();
	return EINTR;
}

void hiding_release(void *call)
{
	((struct hiding_call *)call)->is_blocked = false;
}

bool hiding_repeats_slow(struct hiding_call *call, bool is_ended)
{
	hiding_release(call);
	return is_ended;
}

int64_t hiding_deadline(clockid_t clock, const struct timespec *length)
{
	(void)clock;
	return length->tv_sec;
}

struct timespec *hiding_rest(clockid_t clock, int64_t deadline, struct timespec *rest)
{
	(void)clock;
	*rest = (struct timespec){deadline, 5};
	return rest;
}

int hiding_continue(struct hiding_call *call, long number, hiding_once_fn once, const void *what,
		    const sigset_t *mask)
{
	(void)once, (void)what, (void)mask;
	assert_int_equal(number, SYS_clock_nanosleep);
	hiding_release(call);
	errno = EINTR;
	return go_on_result;
}

static int begin(void **state)
{
	(void)state;
	hiding_begin(hiding_bit(60));
	hiding_found.nanosleep = fake_nanosleep;
	hiding_found.clock_nanosleep = fake_clock_nanosleep;
	naps = 0;
	go_on_result = 0;
	return 0;
}

/* Parts of a long wait grow smaller, and the last is as exact as a sleep. */
static void test_parts(void **state)
{
	struct timespec part = {100, 0}, last = {0, EXACT_NS};

	(void)state;
	sleep_shorten(&part);
	assert_int_equal(part.tv_sec, 99);
	assert_int_equal(part.tv_nsec, 218750000); /* a 128th less */
	sleep_shorten(&last);
	assert_int_equal(last.tv_nsec, EXACT_NS);
}

/* To its end without a sign, or with what was left where a signal of the program's came. */
static void test_a_sleep_that_was_interrupted(void **state)
{
	const struct timespec time = {3600, 0};
	struct timespec rest = {0, 0};

	(void)state;
	errno = EBADF;
	assert_int_equal(hiding_nanosleep(&time, &rest), 0);
	assert_int_equal(errno, EBADF); /* as before */
	assert_int_equal(rest.tv_sec, 0);
	go_on_result = -1;
	assert_int_equal(hiding_nanosleep(&time, &rest), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(rest.tv_sec, 3600);
	hiding_ours = 0;
	assert_int_equal(hiding_nanosleep(&time, NULL), -1);
}

static void test_sleeps_by_clocks(void **state)
{
	const struct timespec time = {3600, 0};
	struct timespec rest = {0, 0};

	(void)state;
	go_on_result = -1;
	assert_int_equal(hiding_clock_nanosleep(CLOCK_REALTIME, 0, &time, &rest), EINTR);
	assert_int_equal(rest.tv_sec, 3600);
	rest.tv_sec = 0;
	naps = 0; /* up to a moment there is no rest to tell */
	assert_int_equal(hiding_clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, &rest),
			 EINTR);
	assert_int_equal(rest.tv_sec, 0);
	naps = 0; /* another clock: begun again as it was */
	assert_int_equal(hiding_clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL), 0);
	assert_int_equal(naps, 3);
}

static void test_moments_out_of_bounds(void **state)
{
	const struct timespec late = {INT64_MAX, 0}, early = {INT64_MIN, 0}, usual = {2, 3};

	(void)state;
	assert_int_equal(sleep_time_of(&late), HIDING_FOREVER);
	assert_int_equal(sleep_time_of(&early), 0);
	assert_int_equal(sleep_time_of(&usual), INT64_C(2000000003));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_parts, begin),
		cmocka_unit_test_setup(test_a_sleep_that_was_interrupted, begin),
		cmocka_unit_test_setup(test_sleeps_by_clocks, begin),
		cmocka_unit_test_setup(test_moments_out_of_bounds, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
