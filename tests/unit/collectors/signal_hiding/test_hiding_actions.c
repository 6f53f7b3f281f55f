/* Actions: the program's handlers are counted and seen as its own; sampling's are kept. */
#include "collectors/signal_hiding/hiding_actions.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hiding_fixture.h"

#define OURS 60

static struct sigaction kernels[SIGNAL_COUNT]; /* what the kernel has */
static int real_result;
static enum kymo_action kept_action;
static struct sigaction kept_wanted;
static uint64_t wanted;
static unsigned calls;

uint64_t kymo_signal_shared(void)
{
	return hiding_ours;
}

void (*kymo_signal_guard(void))(int)
{
	return SIG_DFL;
}

void kymo_signal_want(uint64_t signals)
{
	wanted |= signals;
}

enum kymo_action kymo_signal_action(int number, const struct sigaction *action,
				    struct sigaction *before)
{
	assert_int_equal(number, OURS);
	if (action)
		kept_wanted = *action;
	if (before)
		memset(before, 0, sizeof(*before));
	return kept_action;
}

static int fake_sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	struct sigaction was = kernels[number];

	if (real_result != 0)
		return real_result;
	if (action)
		kernels[number] = *action;
	if (before)
		*before = was;
	return 0;
}

static hiding_handler fake_signal(int number, hiding_handler handler)
{
	hiding_handler was = kernels[number].sa_handler;

	if (real_result != 0)
		return SIG_ERR;
	kernels[number].sa_handler = handler;
	return was;
}

static void first(int number)
{
	(void)number;
	calls++;
}

static void second(int number)
{
	(void)number;
}

static int begin(void **state)
{
	(void)state;
	hiding_begin(hiding_bit(OURS));
	hiding_found.sigaction = fake_sigaction;
	hiding_found.signal = fake_signal;
	memset(kernels, 0, sizeof(kernels));
	memset(handlers, 0, sizeof(handlers));
	real_result = 0;
	wanted = calls = 0;
	kept_action = KYMO_ACTION_DONE;
	return 0;
}

static struct sigaction action_of(hiding_handler handler)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	return action;
}

/* How a wrapper knows that a call was ended by a signal of the program's. */
static void test_a_handler_that_runs_is_counted(void **state)
{
	struct sigaction action = action_of(first), before;
	siginfo_t info = {0};

	(void)state;
	assert_int_equal(hiding_sigaction(SIGUSR1, &action, NULL), 0);
	assert_ptr_equal(kernels[SIGUSR1].sa_handler, COUNTED);
	count_handled(SIGUSR1, &info, NULL);
	assert_int_equal(calls, 1);
	assert_int_equal(kymo_wait_current.handled, 1);
	assert_int_equal(hiding_sigaction(SIGUSR1, NULL, &before), 0);
	assert_ptr_equal(before.sa_handler, first); /* what it gave */
}

static void test_one_handler_after_another(void **state)
{
	(void)state;
	assert_ptr_equal(hiding_signal(SIGUSR1, first), SIG_DFL);
	assert_ptr_equal(hiding_signal(SIGUSR1, second), first);
	assert_ptr_equal(hiding_signal(SIGUSR1, SIG_IGN), second);
	assert_ptr_equal(kernels[SIGUSR1].sa_handler, SIG_IGN);
	assert_ptr_equal(hiding_signal(SIGUSR1, SIG_DFL), SIG_IGN);
}

/* What the kernel refused is as if it had not been asked. */
static void test_a_call_that_fails(void **state)
{
	struct sigaction other = action_of(second), before;

	(void)state;
	hiding_signal(SIGUSR1, first);
	real_result = -1;
	assert_int_equal(hiding_sigaction(SIGUSR1, &other, NULL), -1);
	assert_ptr_equal(hiding_signal(SIGUSR1, second), SIG_ERR);
	real_result = 0;
	hiding_sigaction(SIGUSR1, NULL, &before);
	assert_ptr_equal(before.sa_handler, first);
}

/* There may be no room for a second signal on an alternate stack. */
static void test_masks_of_handlers(void **state)
{
	struct sigaction action = action_of(first);

	(void)state;
	hiding_set_bits(&action.sa_mask, hiding_bit(OURS) | hiding_bit(SIGUSR2));
	hiding_sigaction(SIGUSR1, &action, NULL);
	assert_int_equal(hiding_bits(&kernels[SIGUSR1].sa_mask), hiding_bit(SIGUSR2));
	action.sa_flags = SA_ONSTACK;
	hiding_set_bits(&action.sa_mask, 0);
	hiding_sigaction(SIGUSR1, &action, NULL);
	assert_int_equal(hiding_bits(&kernels[SIGUSR1].sa_mask), hiding_bit(OURS));
}

static void test_signals_of_sampling(void **state)
{
	struct sigaction action = action_of(first), before;

	(void)state;
	assert_int_equal(hiding_sigaction(OURS, &action, &before), 0);
	assert_ptr_equal(kernels[OURS].sa_handler, SIG_DFL); /* the kernel was not asked */
	assert_ptr_equal(kept_wanted.sa_handler, first);
	hiding_signal(OURS, second);
	assert_int_equal(kept_wanted.sa_flags, SA_RESTART);
	assert_true(sigismember(&kept_wanted.sa_mask, OURS));
	hiding_sysv_signal(OURS, second);
	assert_false(sigismember(&kept_wanted.sa_mask, OURS));
	kept_action = KYMO_ACTION_SET; /* it is the program's from now on */
	assert_int_equal(hiding_sigaction(OURS, &action, &before), 0);
	assert_ptr_equal(kernels[OURS].sa_handler, COUNTED);
	hiding_sigset(OURS, first);
	assert_int_equal(wanted, hiding_bit(OURS));
}

static void test_nothing_is_sampled(void **state)
{
	struct sigaction action = action_of(first);

	(void)state;
	hiding_ours = 0;
	hiding_sigaction(SIGUSR1, &action, NULL);
	assert_ptr_equal(kernels[SIGUSR1].sa_handler, first);
	hiding_signal(SIGUSR2, second);
	assert_ptr_equal(kernels[SIGUSR2].sa_handler, second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_handler_that_runs_is_counted, begin),
		cmocka_unit_test_setup(test_one_handler_after_another, begin),
		cmocka_unit_test_setup(test_a_call_that_fails, begin),
		cmocka_unit_test_setup(test_masks_of_handlers, begin),
		cmocka_unit_test_setup(test_signals_of_sampling, begin),
		cmocka_unit_test_setup(test_nothing_is_sampled, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
