/* Signals that our own calls raise. */
#include "platform/blockedsignal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static volatile sig_atomic_t seen;

static void count(int number)
{
	(void)number;
	seen++;
}

static int begin(void **state)
{
	(void)state;
	seen = 0;
	return signal(SIGXFSZ, count) == SIG_ERR ? -1 : 0;
}

static bool is_blocked(void)
{
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	return sigismember(&mask, SIGXFSZ) == 1;
}

static void test_ours_is_taken_away(void **state)
{
	struct blocked_signal held;

	(void)state;
	errno = EFBIG;
	signal_block(&held, SIGXFSZ);
	assert_true(is_blocked());
	raise(SIGXFSZ);
	signal_unblock(&held, true);
	assert_false(is_blocked());
	assert_int_equal(seen, 0);
	assert_int_equal(errno, EFBIG);
}

static void test_the_programs_comes_through(void **state)
{
	struct blocked_signal held;

	(void)state;
	signal_block(&held, SIGXFSZ);
	raise(SIGXFSZ);
	assert_int_equal(seen, 0);
	signal_unblock(&held, false);
	assert_int_equal(seen, 1);
}

/* It was pending when ours came: one of both must be left. */
static void test_a_pending_one_is_kept(void **state)
{
	struct blocked_signal outer, inner;

	(void)state;
	signal_block(&outer, SIGXFSZ);
	raise(SIGXFSZ);
	signal_block(&inner, SIGXFSZ);
	raise(SIGXFSZ);
	signal_unblock(&inner, true);
	assert_true(is_blocked());
	signal_unblock(&outer, false);
	assert_int_equal(seen, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ours_is_taken_away, begin),
		cmocka_unit_test_setup(test_the_programs_comes_through, begin),
		cmocka_unit_test_setup(test_a_pending_one_is_kept, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
