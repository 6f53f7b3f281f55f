/* Signals that our own calls raise. */
#include "platform/heldsignal.h"

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
	struct held_signal held;

	(void)state;
	errno = EFBIG;
	signal_hold(&held, SIGXFSZ);
	assert_true(is_blocked());
	raise(SIGXFSZ);
	signal_release(&held, true);
	assert_false(is_blocked());
	assert_int_equal(seen, 0);
	assert_int_equal(errno, EFBIG);
}

static void test_the_programs_comes_through(void **state)
{
	struct held_signal held;

	(void)state;
	signal_hold(&held, SIGXFSZ);
	raise(SIGXFSZ);
	assert_int_equal(seen, 0);
	signal_release(&held, false);
	assert_int_equal(seen, 1);
}

/* It was pending when ours came: one of both must be left. */
static void test_a_pending_one_is_kept(void **state)
{
	struct held_signal outer, inner;

	(void)state;
	signal_hold(&outer, SIGXFSZ);
	raise(SIGXFSZ);
	signal_hold(&inner, SIGXFSZ);
	raise(SIGXFSZ);
	signal_release(&inner, true);
	assert_true(is_blocked());
	signal_release(&outer, false);
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
