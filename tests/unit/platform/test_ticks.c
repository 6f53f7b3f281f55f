/* The clock of recordings beside those of the system. */
#include "platform/ticks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "platform/systemclock.h"

#define MS 1000000u

/* However late the clock is read: here a program is kept from it for a while. */
static void test_clock_at_a_moment(void **state)
{
	static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME};

	(void)state;
	assert_true(clock_select("monotonic"));
	for (size_t i = 0; i < 4 * sizeof(clocks) / sizeof(clocks[0]); i++) {
		clockid_t clock = clocks[i / 4];
		uint64_t before = systemclock_ns(clock), ticks = ticks_now();
		uint64_t after = systemclock_ns(clock);

		while (ticks_now() < ticks + 2 * MS)
			continue;
		assert_in_range(clock_ns_at(clock, ticks, 1), before - MS / 5, after + MS / 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock_at_a_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
