/* System calls by their number: one alone is looked at. */
#include "collectors/signal_hiding/hiding_calls.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hiding_fixture.h"

static const long arguments[6] = {1, 2, 3, 4, 5, 6};
static long seen[7];

static long fake_call(long number, ...)
{
	va_list list;

	seen[0] = number;
	va_start(list, number);
	for (int i = 1; i < 7; i++)
		seen[i] = va_arg(list, long);
	va_end(list);
	return 42;
}

long hiding_kernel_action(const long given[6])
{
	assert_ptr_equal(given, arguments);
	return 7;
}

static int begin(void **state)
{
	(void)state;
	hiding_begin(hiding_bit(60));
	hiding_found.syscall = fake_call;
	memset(seen, 0, sizeof(seen));
	return 0;
}

static void test_all_arguments_are_passed_on(void **state)
{
	(void)state;
	assert_int_equal(hiding_system_call(SYS_read, arguments), 42);
	assert_int_equal(seen[0], SYS_read);
	assert_memory_equal(seen + 1, arguments, sizeof(arguments));
}

static void test_actions_on_signals(void **state)
{
	(void)state;
	assert_int_equal(hiding_system_call(SYS_rt_sigaction, arguments), 7);
	hiding_ours = 0; /* nothing is sampled */
	assert_int_equal(hiding_system_call(SYS_rt_sigaction, arguments), 42);
	assert_int_equal(seen[0], SYS_rt_sigaction);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_all_arguments_are_passed_on, begin),
		cmocka_unit_test_setup(test_actions_on_signals, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
