/* Frames that wait, and frames that are gone. */
#include "platform/stackmark.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static volatile uint32_t interrupted;
static volatile bool was_alive;

static void look(int number)
{
	(void)number;
	was_alive = stack_mark_is_alive(interrupted, stack_mark());
}

static bool seen_from_a_handler(int flags)
{
	struct sigaction action = {.sa_handler = look, .sa_flags = flags};

	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	was_alive = false;
	interrupted = stack_mark();
	raise(SIGUSR1);
	return was_alive;
}

static void test_a_handler_lies_far_below(void **state)
{
	(void)state;
	assert_true(seen_from_a_handler(0));
}

static void test_a_later_call_does_not(void **state)
{
	uint32_t mark = stack_mark();

	(void)state;
	errno = ERANGE;
	assert_int_not_equal(mark, 0);
	assert_false(stack_mark_is_alive(mark, mark));
	assert_false(stack_mark_is_alive(mark, mark - 64));
	assert_false(stack_mark_is_alive(mark, mark + 100000));
	assert_int_equal(errno, ERANGE);
}

/* Marks are the lower half of addresses. */
static void test_the_stack_crosses_four_gigabytes(void **state)
{
	(void)state;
	assert_true(stack_mark_is_alive(0x101, 0xfffff001));
	assert_false(stack_mark_is_alive(0xfffff001, 0x101));
}

/* The height of a handler's frames on another stack says nothing: wherever that is. */
static void test_on_a_signal_stack(void **state)
{
	const size_t size = 64 * 1024;
	const stack_t none = {.ss_flags = SS_DISABLE};
	stack_t own = {.ss_sp = malloc(size), .ss_size = size};

	(void)state;
	assert_int_equal(sigaltstack(&own, NULL), 0);
	assert_true(seen_from_a_handler(SA_ONSTACK));
	assert_false(stack_mark_is_alive(stack_mark(), stack_mark()));
	sigaltstack(&none, NULL);
	free(own.ss_sp);
}

static void test_on_a_stack_that_we_were_told_of(void **state)
{
	uint32_t mark = stack_mark();

	(void)state;
	stack_mark_elsewhere(true);
	assert_true(stack_is_elsewhere());
	assert_true(stack_mark_is_alive(mark, mark + 64));
	stack_mark_elsewhere(false);
	assert_false(stack_is_elsewhere());
	assert_false(stack_mark_is_alive(mark, mark + 64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_handler_lies_far_below),
		cmocka_unit_test(test_a_later_call_does_not),
		cmocka_unit_test(test_the_stack_crosses_four_gigabytes),
		cmocka_unit_test(test_on_a_signal_stack),
		cmocka_unit_test(test_on_a_stack_that_we_were_told_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
