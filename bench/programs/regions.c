/* A loop around a region that is begun and ended, compiled once for each way to mark one.
 * Prints the nanoseconds of CPU time of one pass, the best of several turns, for the empty
 * loop, for two readings of the processor's counter, for the region, and for two regions
 * taken in turns. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(WITH_KYMO)
#include <kymo/kymo.h>
#define FIRST()                                                                                    \
	do {                                                                                       \
		KYMO_REGION_BEGIN("first");                                                        \
		KYMO_REGION_END("first");                                                          \
	} while (0)
#define SECOND()                                                                                   \
	do {                                                                                       \
		KYMO_REGION_BEGIN("second");                                                       \
		KYMO_REGION_END("second");                                                         \
	} while (0)
#elif defined(WITH_KYMO_NAMES)
#include <kymo/kymo.h>
#define FIRST()	 (kymo_region_begin("first"), kymo_region_end("first"))
#define SECOND() (kymo_region_begin("second"), kymo_region_end("second"))
#elif defined(WITH_LTTNG)
#include "regions_lttng.h"
#define FIRST()                                                                                    \
	do {                                                                                       \
		lttng_ust_tracepoint(kymo_bench, begin, 1);                                        \
		lttng_ust_tracepoint(kymo_bench, end, 1);                                          \
	} while (0)
#define SECOND()                                                                                   \
	do {                                                                                       \
		lttng_ust_tracepoint(kymo_bench, begin, 2);                                        \
		lttng_ust_tracepoint(kymo_bench, end, 2);                                          \
	} while (0)
#elif defined(WITH_HOOKS) /* compiled with -finstrument-functions */
#define QUIET	 __attribute__((no_instrument_function))
QUIET __attribute__((noinline)) void __cyg_profile_func_enter(void *function, void *site);
QUIET __attribute__((noinline)) void __cyg_profile_func_exit(void *function, void *site);
QUIET void __cyg_profile_func_enter(void *function, void *site)
{
	__asm__ volatile("" : : "r"(function), "r"(site));
}
QUIET void __cyg_profile_func_exit(void *function, void *site)
{
	__asm__ volatile("" : : "r"(function), "r"(site));
}
static __attribute__((noinline)) void first_body(void)
{
	__asm__ volatile("");
}
static __attribute__((noinline)) void second_body(void)
{
	__asm__ volatile("");
}
#define FIRST()	 first_body()
#define SECOND() second_body()
#else
#error "one of WITH_KYMO, WITH_KYMO_NAMES, WITH_LTTNG, WITH_HOOKS"
#endif

#ifndef QUIET
#define QUIET
#endif

#define TURNS  15
#define PASSES 100000

QUIET static uint64_t counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

QUIET static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

#define MEASURE(best, body)                                                                        \
	do {                                                                                       \
		double from = now_ns(), passed;                                                    \
		for (int pass = 0; pass < PASSES; pass++) {                                        \
			body;                                                                      \
			__asm__ volatile("" : : : "memory");                                       \
		}                                                                                  \
		passed = (now_ns() - from) / PASSES;                                               \
		if ((best) == 0 || passed < (best))                                                \
			(best) = passed;                                                           \
	} while (0)

QUIET int main(void)
{
	double empty = 0, clocks = 0, one = 0, two = 0;
	uint64_t sum = 0;

	for (int turn = 0; turn < TURNS; turn++) {
		MEASURE(empty, (void)0);
		MEASURE(clocks, sum += counter(); __asm__ volatile(""
								   :
								   :
								   : "memory");
			sum += counter());
		MEASURE(one, FIRST());
		MEASURE(two, FIRST(); SECOND());
	}
	printf("%.2f %.2f %.2f %.2f\n", empty, clocks, one, two / 2);
	return sum == 1;
}
