/* The end: which status the recording is closed with, and when it is left as it stands. */
#include "collectors/lifecycle/lifecycle_exit.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static jmp_buf back;
static bool is_restricted;
static int ended, passed; /* statuses; -1 = not called */

bool kymo_runtime_is_restricted(void)
{
	return is_restricted;
}

void kymo_runtime_end(int status)
{
	ended = status;
}

void lifecycle_target_flush(void)
{
}

static void fake_exit(int status)
{
	passed = status;
	longjmp(back, 1);
}

static void fake_abort(void)
{
	passed = 0;
	longjmp(back, 1);
}

static int begin(void **state)
{
	(void)state;
	wrap_slot__exit = wrap_slot_quick_exit = (void *)fake_exit;
	wrap_slot_abort = (void *)fake_abort;
	ended = passed = -1;
	is_restricted = false;
	return 0;
}

static void test_the_status_is_what_others_see(void **state)
{
	(void)state;
	if (!setjmp(back))
		lifecycle_exit_now(0x103);
	assert_int_equal(ended, 3);
	assert_int_equal(passed, 0x103);
}

static void test_restricted(void **state)
{
	(void)state;
	is_restricted = true;
	if (!setjmp(back))
		lifecycle_exit_now(1);
	assert_int_equal(ended, -1);
	assert_int_equal(passed, 1);
	if (!setjmp(back))
		lifecycle_abort();
	assert_int_equal(ended, -1);
}

/* The handlers run first; the recording ends behind them. */
static void test_quickly(void **state)
{
	(void)state;
	if (!setjmp(back))
		lifecycle_exit_quickly(5);
	assert_int_equal(ended, -1);
	assert_int_equal(passed, 5);
	on_quick_end();
	assert_int_equal(ended, 5);
}

static void leave_by_a_jump(int number)
{
	(void)number;
}

static void test_abort(void **state)
{
	(void)state;
	signal(SIGABRT, leave_by_a_jump);
	if (!setjmp(back))
		lifecycle_abort();
	assert_int_equal(ended, -1);
	assert_int_equal(passed, 0);
	signal(SIGABRT, SIG_DFL);
	if (!setjmp(back))
		lifecycle_abort();
	assert_int_equal(ended, 128 + SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_the_status_is_what_others_see, begin),
		cmocka_unit_test_setup(test_restricted, begin),
		cmocka_unit_test_setup(test_quickly, begin),
		cmocka_unit_test_setup(test_abort, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
