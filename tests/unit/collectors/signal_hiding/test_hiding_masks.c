/* Masks without sampling's signals, and as the program would see them. */
#include "collectors/signal_hiding/hiding_masks.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hiding_fixture.h"

#define OURS 60
#define ALL  UINT64_MAX

static uint64_t wanted, real_set, real_before;
static int real_how, real_result;

void kymo_signal_want(uint64_t signals)
{
	wanted |= signals;
}

static int fake_mask(int how, const sigset_t *set, sigset_t *before)
{
	real_how = how;
	real_set = set ? hiding_bits(set) : 0;
	if (before) {
		sigemptyset(before);
		hiding_set_bits(before, real_before);
	}
	return real_result;
}

static int fake_pending(sigset_t *set)
{
	sigemptyset(set);
	hiding_set_bits(set, hiding_bit(OURS) | hiding_bit(SIGUSR1));
	return 0;
}

static int begin(void **state)
{
	(void)state;
	hiding_begin(hiding_bit(OURS));
	hiding_found.sigprocmask = hiding_found.pthread_sigmask = fake_mask;
	hiding_found.sigpending = fake_pending;
	wanted = real_set = real_before = 0;
	real_result = 0;
	return 0;
}

static sigset_t set_of(uint64_t bits)
{
	sigset_t set;

	sigemptyset(&set);
	hiding_set_bits(&set, bits);
	return set;
}

/* All at once is no interest in one signal; who blocks everything believes that it is. */
static void test_everything(void **state)
{
	sigset_t all = set_of(ALL), before;

	(void)state;
	real_before = ALL & ~hiding_bit(OURS);
	assert_int_equal(hiding_sigprocmask(SIG_SETMASK, &all, &before), 0);
	assert_int_equal(real_set, ALL & ~hiding_bit(OURS));
	assert_int_equal(hiding_bits(&before), ALL);
	assert_int_equal(wanted, 0);
}

static void test_one_that_is_named_is_the_programs(void **state)
{
	sigset_t one = set_of(hiding_bit(OURS) | hiding_bit(SIGUSR1));

	(void)state;
	hiding_pthread_sigmask(SIG_BLOCK, &one, NULL);
	assert_int_equal(wanted, hiding_bit(OURS));
	assert_int_equal(real_set, hiding_bit(SIGUSR1));
}

static void test_what_was_blocked_before(void **state)
{
	sigset_t before;

	(void)state;
	real_before = hiding_bit(OURS) | hiding_bit(SIGUSR1); /* on an alternate stack */
	assert_int_equal(hiding_sigprocmask(SIG_BLOCK, NULL, &before), 0);
	assert_int_equal(hiding_bits(&before), hiding_bit(SIGUSR1));
	real_result = -1;
	before = set_of(5);
	assert_int_equal(hiding_sigprocmask(SIG_BLOCK, NULL, &before), -1);
}

/* A handler may have been left by a jump that kept its mask: sampling's are let in, too. */
static void test_letting_one_in(void **state)
{
	sigset_t one = set_of(hiding_bit(SIGUSR1));

	(void)state;
	hiding_sigprocmask(SIG_UNBLOCK, &one, NULL);
	assert_int_equal(real_set, hiding_bit(SIGUSR1) | hiding_bit(OURS));
	hiding_sigprocmask(SIG_BLOCK, &one, NULL);
	assert_int_equal(real_set, hiding_bit(SIGUSR1));
}

static void test_older_calls(void **state)
{
	(void)state;
	real_before = hiding_bit(SIGUSR2) | hiding_bit(40);
	assert_int_equal(hiding_sigblock((int)hiding_bit(SIGUSR1)), (int)hiding_bit(SIGUSR2));
	assert_int_equal(real_how, SIG_BLOCK);
	assert_int_equal(real_set, hiding_bit(SIGUSR1));
	hiding_sigsetmask(-1);
	assert_int_equal(real_how, SIG_SETMASK);
	assert_int_equal(real_set, UINT32_MAX);
	assert_int_equal(hiding_siggetmask(), (int)hiding_bit(SIGUSR2));
	assert_int_equal(hiding_sighold(SIGUSR1), 0);
	assert_int_equal(real_set, hiding_bit(SIGUSR1));
	assert_int_equal(hiding_sighold(1000), -1);
}

static void test_pending(void **state)
{
	sigset_t set;

	(void)state;
	assert_int_equal(hiding_sigpending(&set), 0);
	assert_int_equal(hiding_bits(&set), hiding_bit(SIGUSR1));
}

static void test_nothing_is_sampled(void **state)
{
	sigset_t all = set_of(ALL), before;

	(void)state;
	hiding_ours = 0;
	real_before = hiding_bit(OURS);
	hiding_sigprocmask(SIG_SETMASK, &all, &before);
	assert_int_equal(real_set, ALL);
	assert_int_equal(hiding_bits(&before), hiding_bit(OURS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_everything, begin),
		cmocka_unit_test_setup(test_one_that_is_named_is_the_programs, begin),
		cmocka_unit_test_setup(test_what_was_blocked_before, begin),
		cmocka_unit_test_setup(test_letting_one_in, begin),
		cmocka_unit_test_setup(test_older_calls, begin),
		cmocka_unit_test_setup(test_pending, begin),
		cmocka_unit_test_setup(test_nothing_is_sampled, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
