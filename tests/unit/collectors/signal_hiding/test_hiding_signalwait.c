/* Waiting for signals: sampling's are no answer, and no end. */
#include "collectors/signal_hiding/hiding_signalwait.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hiding_fixture.h"

static uint64_t waited_for;
static unsigned waits;
static const struct timespec *latest_time;

sigset_t hiding_without(const sigset_t *set)
{
	sigset_t copy = *set;

	hiding_set_bits(&copy, hiding_bits(set) & ~hiding_ours);
	return copy;
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
	(void)clock, (void)length;
	return 1;
}

struct timespec *hiding_rest(clockid_t clock, int64_t deadline, struct timespec *rest)
{
	(void)clock, (void)deadline;
	*rest = (struct timespec){1, 2};
	return rest;
}

int hiding_continue(struct hiding_call *call, long number, hiding_once_fn once, const void *what,
		    const sigset_t *mask)
{
	(void)number, (void)what;
	hiding_release(call);
	return once(what, mask);
}

int hiding_pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	(void)how, (void)set;
	sigfillset(before);
	return 0;
}

static int fake_info(const sigset_t *set, siginfo_t *info)
{
	(void)info;
	waited_for = hiding_bits(set);
	return ++waits < 3 ? hiding_interrupt() : SIGUSR1;
}

static int fake_timed(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
	latest_time = time;
	return fake_info(set, info);
}

/* The first time sampling comes, the second time a signal of the program's. */
static int fake_suspend(const sigset_t *set)
{
	waited_for = hiding_bits(set);
	if (++waits == 1)
		return hiding_interrupt();
	kymo_wait_current.handled++;
	errno = EINTR;
	return -1;
}

static int begin(void **state)
{
	(void)state;
	hiding_begin(hiding_bit(60));
	hiding_found.sigwaitinfo = fake_info;
	hiding_found.sigtimedwait = fake_timed;
	hiding_found.sigsuspend = fake_suspend;
	waits = 0;
	return 0;
}

static sigset_t set_of(uint64_t bits)
{
	sigset_t set;

	sigemptyset(&set);
	hiding_set_bits(&set, bits);
	return set;
}

static void test_sampling_is_not_waited_for(void **state)
{
	sigset_t set = set_of(hiding_bit(SIGUSR1) | hiding_bit(60));

	(void)state;
	assert_int_equal(hiding_sigwaitinfo(&set, NULL), SIGUSR1);
	assert_int_equal(waited_for, hiding_bit(SIGUSR1));
	assert_int_equal(waits, 3);
}

static void test_what_is_left_of_the_time(void **state)
{
	const struct timespec hour = {3600, 0};
	sigset_t set = set_of(hiding_bit(SIGUSR1));

	(void)state;
	assert_int_equal(hiding_sigtimedwait(&set, NULL, &hour), SIGUSR1);
	assert_ptr_not_equal(latest_time, &hour);
	waits = 2; /* it comes at once */
	hiding_sigtimedwait(&set, NULL, &hour);
	assert_ptr_equal(latest_time, &hour);
}

static void test_suspended(void **state)
{
	sigset_t set = set_of(hiding_bit(60));

	(void)state;
	assert_int_equal(hiding_sigsuspend(&set), -1);
	assert_int_equal(waits, 2);
	assert_int_equal(waited_for, 0);
}

/* One signal is let through, or the first 32 are blocked as an int says. */
static void test_older_calls(void **state)
{
	(void)state;
	waits = 1;
	hiding___xpg_sigpause(SIGUSR1);
	assert_false(waited_for & hiding_bit(SIGUSR1));
	assert_true(waited_for & hiding_bit(SIGUSR2));
	hiding___sigpause((int)hiding_bit(SIGUSR2), 0);
	assert_int_equal(waited_for, hiding_bit(SIGUSR2));
	assert_int_equal(hiding___xpg_sigpause(1000), -1);
}

static void test_nothing_is_sampled(void **state)
{
	sigset_t set = set_of(hiding_bit(60));

	(void)state;
	hiding_ours = 0;
	assert_int_equal(hiding_sigwaitinfo(&set, NULL), -1);
	assert_int_equal(waited_for, hiding_bit(60));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_sampling_is_not_waited_for, begin),
		cmocka_unit_test_setup(test_what_is_left_of_the_time, begin),
		cmocka_unit_test_setup(test_suspended, begin),
		cmocka_unit_test_setup(test_older_calls, begin),
		cmocka_unit_test_setup(test_nothing_is_sampled, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
