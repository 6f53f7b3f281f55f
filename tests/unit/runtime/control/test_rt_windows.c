/* Edges of time windows, found by whoever looks, at clocks that run as a test wants. */
#include "runtime/control/windows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MS  UINT64_C(1000000)
#define SEC (1000 * MS)

/* Clocks: now_ns passes evenly; each clock is a function of it. */

#define TICKS_A_NS 3u

static uint64_t now_ns;
static uint64_t wall_jump_ns;  /* the wall clock was set forward */
static unsigned cpu_share = 2; /* CPU time runs a half, a third … as fast as time */
static unsigned reads;

static uint64_t read_clock(clockid_t clock, uint64_t ticks)
{
	assert_int_equal(ticks, now_ns * TICKS_A_NS);
	reads++;
	if (clock == CLOCK_PROCESS_CPUTIME_ID)
		return now_ns / cpu_share;
	return 1000 * SEC + now_ns + (clock == CLOCK_REALTIME ? wall_jump_ns : 0);
}

static struct windows windows;

static void begin(const char *text)
{
	struct problem problem;

	now_ns = 0;
	wall_jump_ns = 0;
	cpu_share = 2;
	memset(&windows, 0, sizeof(windows));
	assert_int_equal(periods_parse(text, CLOCK_MONOTONIC, &windows.periods, &problem), KYMO_OK);
	windows.read_ns = read_clock;
	windows.ticks_per_ns = TICKS_A_NS;
	windows.cpu_count = 4;
	windows_begin(&windows, 0);
}

static bool next(struct window_edge *edge)
{
	return windows_next(&windows, now_ns * TICKS_A_NS, edge);
}

static void expect_edge(bool is_on, uint64_t ns)
{
	struct window_edge edge;

	assert_true(next(&edge));
	assert_int_equal(edge.is_on, is_on);
	assert_in_range(edge.ticks, ns * TICKS_A_NS - 3, ns * TICKS_A_NS + 3);
}

static void expect_none(void)
{
	struct window_edge edge;

	assert_false(next(&edge));
}

static void test_none(void **state)
{
	(void)state;
	begin("");
	assert_true(windows.is_on && windows.is_over);
	now_ns = 100 * SEC;
	expect_none();
}

static void test_one(void **state)
{
	(void)state;
	begin("1:0.5");
	assert_false(windows.is_on);
	expect_none();
	now_ns = SEC - 1;
	expect_none();
	now_ns = SEC + 300 * MS;
	expect_edge(true, SEC);
	assert_true(windows.is_on);
	expect_none();
	now_ns = 20 * SEC;
	expect_edge(false, SEC + 500 * MS);
	assert_true(windows.is_over && !windows.is_on);
	assert_int_equal(windows.check_ticks, UINT64_MAX);
	expect_none();
}

static void test_to_the_end(void **state)
{
	(void)state;
	begin("0:0");
	assert_true(windows.is_on && windows.is_over);
	begin("2:0");
	now_ns = 3 * SEC;
	expect_edge(true, 2 * SEC);
	assert_true(windows.is_over && windows.is_on);
}

static void test_begins_at_once(void **state)
{
	(void)state;
	begin("0:1:2");
	assert_true(windows.is_on);
	now_ns = 5 * SEC;
	expect_edge(false, SEC);
	expect_edge(true, SEC);
	expect_edge(false, 2 * SEC);
	expect_none();
	assert_true(windows.is_over);
}

static void test_one_after_the_other(void **state)
{
	(void)state;
	begin("1:1 2:1:2:monotonic_raw 1:1:1:boottime");
	now_ns = 30 * SEC;
	for (uint64_t at = 1, i = 0; i < 4; i++) {
		expect_edge(true, at * SEC);
		expect_edge(false, (at + 1) * SEC);
		at += i == 2 ? 2 : 3;
	}
	expect_none();
	assert_true(windows.is_over);
}

/* The wall clock is set forward by a minute after half a second: the edge came then. */
static void test_wall_clock_is_set(void **state)
{
	struct window_edge edge;

	(void)state;
	begin("30:0:1:realtime");
	now_ns = SEC / 2;
	windows.check_ticks = 0;
	expect_none();
	wall_jump_ns = 60 * SEC;
	now_ns += MS;
	windows.check_ticks = 0;
	assert_true(next(&edge));
	assert_in_range(edge.ticks, (now_ns - MS) * TICKS_A_NS, now_ns * TICKS_A_NS);
	/* And back: the edge stays away for as long. */
	begin("30:0:1:realtime");
	wall_jump_ns = 60 * SEC;
	windows_begin(&windows, 0);
	wall_jump_ns = 0;
	now_ns = 31 * SEC;
	expect_none();
	now_ns = 91 * SEC;
	expect_edge(true, 90 * SEC);
}

static void test_cpu_time(void **state)
{
	(void)state;
	begin("1:1:1:cputime");
	/* Not more than four processors, so it cannot be over before a quarter. */
	assert_in_range(windows.check_ticks, SEC / 4 * TICKS_A_NS * 9 / 10, SEC / 4 * TICKS_A_NS);
	for (; now_ns < 2 * SEC; now_ns += MS)
		expect_none();
	expect_edge(true, 2 * SEC);
	for (; now_ns < 4 * SEC; now_ns += MS)
		expect_none();
	expect_edge(false, 4 * SEC);
	assert_true(windows.is_over);
}

/* The clock of a forked process begins at 0; what its parent had used counts. */
static void test_fork(void **state)
{
	(void)state;
	begin("1:0:1:cputime");
	now_ns = SEC;
	expect_none();
	assert_int_equal(windows.edge_ns - windows.known_ns, SEC / 2);
	cpu_share = 1000000;
	windows_fork(&windows, now_ns * TICKS_A_NS);
	assert_int_equal(windows.edge_ns - windows.known_ns, SEC / 2);
	begin("1:0");
	now_ns = SEC / 2;
	windows_fork(&windows, now_ns * TICKS_A_NS);
	now_ns = SEC;
	expect_edge(true, SEC);
}

/* A process that slept for a year makes up for some repeats, at the right times. */
static void test_long_sleep(void **state)
{
	uint64_t year = 365 * 86400 * SEC;
	struct window_edge edge;
	unsigned count = 0;

	(void)state;
	begin("0.001:0.002:0");
	now_ns = year;
	while (next(&edge)) {
		count++;
		if (edge.is_on && count > 1)
			assert_true(year - edge.ticks / TICKS_A_NS < 100 * MS);
	}
	assert_in_range(count, 3, 62);
	expect_none();
	begin("0:0.000000001:1000000000");
	now_ns = year;
	for (count = 0; next(&edge); count++)
		;
	assert_in_range(count, 3, 62);
	assert_true(windows.is_over);
}

/* Whoever looks often reads the clock seldom: each estimate is much nearer than the last. */
static void test_few_readings(void **state)
{
	struct window_edge edge;

	(void)state;
	begin("10:10:0");
	reads = 0;
	for (; now_ns < 95 * SEC; now_ns += 20000)
		next(&edge);
	assert_in_range(reads, 9, 9 * 12);
}

/* Any windows, looked at at any times. */

static uint64_t seed;

static uint64_t random_below(uint64_t limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % limit;
}

static void random_windows(struct windows *out)
{
	memset(out, 0, sizeof(*out));
	out->periods.count = 1 + random_below(4);
	for (size_t i = 0; i < out->periods.count; i++)
		out->periods.items[i] = (struct period){
			.delay_ns = random_below(5) ? random_below(50) * MS : 0,
			.duration_ns = (1 + random_below(50)) * MS,
			.repeat = 1 + random_below(4),
			.clock = random_below(2) ? CLOCK_MONOTONIC : CLOCK_BOOTTIME,
		};
	if (random_below(3) == 0)
		out->periods.items[out->periods.count - 1].duration_ns = 0;
	if (out->periods.items[out->periods.count - 1].duration_ns == 0)
		out->periods.items[out->periods.count - 1].repeat = 1;
}

/* Recorded nanoseconds of [0, end), laid out period by period. */
static uint64_t naive(const struct periods *periods, uint64_t end)
{
	uint64_t at = 0, sum = 0;

	for (size_t i = 0; i < periods->count; i++)
		for (uint64_t k = 0; k < periods->items[i].repeat; k++) {
			uint64_t duration = periods->items[i].duration_ns;
			uint64_t from = at + periods->items[i].delay_ns;
			uint64_t to = duration ? from + duration : UINT64_MAX;

			sum += from < end ? (to < end ? to : end) - from : 0;
			at = to;
			if (to == UINT64_MAX)
				return sum;
		}
	return sum;
}

static void test_any(void **state)
{
	(void)state;
	for (seed = 1; seed < 3000; seed++) {
		uint64_t first_seed = seed, sum = 0, since = 0, end = random_below(1000) * MS;
		struct window_edge edge;

		begin("");
		random_windows(&windows);
		windows.read_ns = read_clock;
		windows.ticks_per_ns = TICKS_A_NS * (0.9995 + 0.001 * (double)random_below(2));
		windows.cpu_count = 1;
		windows_begin(&windows, 0);
		for (;;) {
			while (next(&edge)) {
				if (!edge.is_on)
					sum += edge.ticks - since;
				since = edge.ticks;
				assert_true(edge.ticks <= now_ns * TICKS_A_NS);
			}
			if (now_ns == end)
				break;
			now_ns += random_below(2 * end / MS / (1 + random_below(30)) + 2) * MS / 3;
			now_ns = now_ns < end ? now_ns : end;
		}
		if (windows.is_on)
			sum += end * TICKS_A_NS - since;
		assert_in_range(sum + 1000, naive(&windows.periods, end) * TICKS_A_NS + 1000 - 200,
				naive(&windows.periods, end) * TICKS_A_NS + 1000 + 200);
		seed = first_seed;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_to_the_end),
		cmocka_unit_test(test_begins_at_once),
		cmocka_unit_test(test_one_after_the_other),
		cmocka_unit_test(test_wall_clock_is_set),
		cmocka_unit_test(test_cpu_time),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_long_sleep),
		cmocka_unit_test(test_few_readings),
		cmocka_unit_test(test_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
