/* The clocks past the C library, and the kernel's own code that reads them. */
#include "platform/systemclock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/auxv.h>

#include "platform/kernelcode.h"

static const clockid_t clocks[] = {CLOCK_REALTIME,	     CLOCK_MONOTONIC,
				   CLOCK_MONOTONIC_RAW,	     CLOCK_BOOTTIME,
				   CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};

static uint64_t by_library(clockid_t clock)
{
	struct timespec now;

	assert_int_equal(clock_gettime(clock, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void test_as_the_library(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		uint64_t before = by_library(clocks[i]), own = systemclock_ns(clocks[i]);

		assert_in_range(own, before, by_library(clocks[i]));
	}
	assert_in_range(systemclock_seconds(), time(NULL) - 1, time(NULL) + 1);
}

static void test_no_such_clock(void **state)
{
	struct timespec now = {1, 1};

	(void)state;
	errno = ELOOP;
	assert_false(systemclock_read(12345, &now));
	assert_int_equal(now.tv_sec, 0);
	assert_int_equal(systemclock_ns(12345), 0);
	assert_int_equal(systemclock_step_ns(12345), 0);
	assert_int_equal(errno, ELOOP);
	assert_true(systemclock_step_ns(CLOCK_MONOTONIC_COARSE) >= 1000000);
}

static void test_sleeping(void **state)
{
	struct timespec brief = {0, 2000000}, when;
	uint64_t before = systemclock_ns(CLOCK_MONOTONIC);

	(void)state;
	systemclock_sleep(&brief);
	assert_true(systemclock_ns(CLOCK_MONOTONIC) - before >= 2000000);
	systemclock_read(CLOCK_MONOTONIC, &when);
	when.tv_nsec += 2000000;
	when.tv_sec += when.tv_nsec / 1000000000;
	when.tv_nsec %= 1000000000;
	systemclock_sleep_until(CLOCK_MONOTONIC, &when);
	assert_true(systemclock_ns(CLOCK_MONOTONIC) >=
		    (uint64_t)when.tv_sec * 1000000000u + (uint64_t)when.tv_nsec);
	systemclock_sleep_until(CLOCK_MONOTONIC, &(struct timespec){0, 0});
}

static void test_kernel_code(void **state)
{
	const void *base = (const void *)getauxval(AT_SYSINFO_EHDR);

	(void)state;
	if (!base)
		skip();
#if defined(__x86_64__)
	assert_non_null(kernelcode_find(base, "__vdso_clock_gettime"));
#elif defined(__aarch64__)
	assert_non_null(kernelcode_find(base, "__kernel_clock_gettime"));
#endif
	assert_null(kernelcode_find(base, "clock_of_the_town_hall"));
	assert_null(kernelcode_find(base, ""));
}

static void test_no_kernel_code(void **state)
{
	static const char other[64] = "no ELF";

	(void)state;
	assert_null(kernelcode_find(NULL, "__vdso_clock_gettime"));
	assert_null(kernelcode_find(other, "__vdso_clock_gettime"));
}

static void test_sources(void **state)
{
	(void)state;
	assert_true(systemclock_source_is_free("tsc\n"));
	assert_true(systemclock_source_is_free("kvm-clock"));
	assert_false(systemclock_source_is_free("hpet\n"));
	assert_false(systemclock_source_is_free("tsc-early\n"));
	assert_false(systemclock_source_is_free("t"));
	assert_false(systemclock_source_is_free(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_the_library), cmocka_unit_test(test_no_such_clock),
		cmocka_unit_test(test_sleeping),       cmocka_unit_test(test_kernel_code),
		cmocka_unit_test(test_no_kernel_code), cmocka_unit_test(test_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
