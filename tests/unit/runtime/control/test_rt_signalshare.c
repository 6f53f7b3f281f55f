/* What is held back while an interrupted call is begun again. */
#include "runtime/control/signalshare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define BIT(signal) (UINT64_C(1) << ((signal)-1))
#define STACK	    UINT64_C(0x7f0000010000)
#define OURS	    BIT(64)

static int set_up(void **state)
{
	(void)state;
	kymo_sample_signals_set(OURS);
	kymo_wait_current = (struct kymo_wait){.stack = STACK};
	return 0;
}

/* The program's signals, but not sampling's, nor those that the C library waits for in the very
 * call: a thread that is cancelled would wait for ever. */
static void test_held(void **state)
{
	uint64_t mask = BIT(10);

	(void)state;
	kymo_wait_noticed(STACK - 64, &mask, true);
	assert_int_equal(mask, ~(OURS | BIT(32) | BIT(33)));
	assert_int_equal(kymo_wait_current.mask, BIT(10));
	/* A second time keeps what there was before the first. */
	kymo_wait_noticed(STACK - 64, &mask, true);
	assert_int_equal(mask, ~(OURS | BIT(32) | BIT(33)));
	assert_int_equal(kymo_wait_current.mask, BIT(10));
}

static void test_kept(void **state)
{
	uint64_t mask = BIT(10) | BIT(32);

	(void)state;
	/* What is blocked stays so. */
	kymo_wait_noticed(STACK - 64, &mask, true);
	assert_int_equal(mask, ~(OURS | BIT(33)));
}

static void test_elsewhere(void **state)
{
	uint64_t mask = BIT(10);

	(void)state;
	kymo_wait_noticed(STACK - 64, &mask, false);
	assert_int_equal(mask, BIT(10));
	kymo_wait_noticed(STACK - 2 * KYMO_WAIT_DEPTH, &mask, true);
	assert_int_equal(mask, BIT(10));
}

/* A wrapper that was left by a jump lets nothing through: the handler does. */
static void test_left_by_a_jump(void **state)
{
	uint64_t mask = BIT(10);

	(void)state;
	kymo_wait_noticed(STACK - 64, &mask, true);
	kymo_wait_noticed(STACK + 4096, &mask, false);
	assert_int_equal(mask, BIT(10));
	assert_int_equal(kymo_wait_current.is_blocked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_held, set_up),
		cmocka_unit_test_setup(test_kept, set_up),
		cmocka_unit_test_setup(test_elsewhere, set_up),
		cmocka_unit_test_setup(test_left_by_a_jump, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
