/* Ticks to nanoseconds by calibration pairs, good and bad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/recording/clock_map.h"

#define START_REALTIME UINT64_C(1700000000000000000)

/* A processor of 2 GHz, read at its start and after each of the seconds given. */
static struct recording tsc_recording(const uint64_t *seconds, uint32_t count)
{
	struct recording recording = {0};
	struct kymo_header *header = &recording.header;

	header->clock_kind = KYMO_CLOCK_TSC;
	header->start_ticks = 1000;
	for (uint32_t i = 0; i < count; i++)
		header->pairs[i] = (struct kymo_clock_pair){
			.ticks = 1000 + seconds[i] * 2000000000,
			.monotonic_ns = 5000 + seconds[i] * 1000000000,
			.realtime_ns = START_REALTIME + seconds[i] * 1000000000,
		};
	header->pair_count = count;
	return recording;
}

static void test_linear_between_and_outside(void **state)
{
	static const uint64_t seconds[] = {0, 1, 10};
	struct recording recording = tsc_recording(seconds, 3);

	(void)state;
	assert_null(clock_map_prepare(&recording.header));
	assert_true(recording_tick_ns(&recording) == 0.5);
	assert_int_equal(recording_ns(&recording, 1000), 0);
	assert_int_equal(recording_ns(&recording, 1000 + 3000), 1500);
	assert_int_equal(recording_ns(&recording, 0), -500);
	assert_int_equal(recording_monotonic_ns(&recording, 1000), 5000);
	assert_int_equal(recording_realtime_ns(&recording, 1000 + 8000000000),
			 START_REALTIME + 4000000000);
	assert_int_equal(recording_ns(&recording, 1000 + 40000000000), 20000000000);
}

/* The last sign of life counts as a pair while the recording was not closed, and no longer. */
static void test_heartbeat(void **state)
{
	static const uint64_t seconds[] = {0, 1};
	struct recording open = tsc_recording(seconds, 2), closed;

	(void)state;
	open.header.state = KYMO_STATE_OPEN;
	open.header.heartbeat = (struct kymo_clock_pair){
		.ticks = 1000 + UINT64_C(20000000000),
		.monotonic_ns = 5000 + UINT64_C(11000000000),
		.realtime_ns = START_REALTIME + UINT64_C(11000000000),
	};
	closed = open;
	closed.header.state = KYMO_STATE_CLOSED;
	assert_null(clock_map_prepare(&open.header));
	assert_int_equal(open.header.pair_count, 3);
	assert_int_equal(recording_ns(&open, 1000 + UINT64_C(20000000000)), 11000000000);
	assert_null(clock_map_prepare(&closed.header));
	assert_int_equal(closed.header.pair_count, 2);
	assert_int_equal(recording_ns(&closed, 1000 + UINT64_C(20000000000)), 10000000000);
}

/* In a header that is full it takes the last place. */
static void test_heartbeat_behind_many(void **state)
{
	uint64_t seconds[KYMO_CLOCK_PAIRS];
	struct recording recording;

	(void)state;
	for (uint64_t i = 0; i < KYMO_CLOCK_PAIRS; i++)
		seconds[i] = i;
	recording = tsc_recording(seconds, KYMO_CLOCK_PAIRS);
	recording.header.heartbeat = recording.header.pairs[KYMO_CLOCK_PAIRS - 1];
	recording.header.heartbeat.ticks += 1000;
	recording.header.heartbeat.monotonic_ns += 500;
	assert_null(clock_map_prepare(&recording.header));
	assert_int_equal(recording.header.pair_count, KYMO_CLOCK_PAIRS);
	assert_int_equal(recording.header.pairs[KYMO_CLOCK_PAIRS - 1].ticks,
			 recording.header.heartbeat.ticks);
}

/* The clock of the system was slewed: each stretch has its own rate, the mean is for
 * durations. */
static void test_rates_differ(void **state)
{
	static const uint64_t seconds[] = {0, 1, 2};
	struct recording recording = tsc_recording(seconds, 3);

	(void)state;
	recording.header.pairs[1].monotonic_ns += 500000000;
	assert_null(clock_map_prepare(&recording.header));
	assert_int_equal(recording_ns(&recording, 1000 + 1000000000), 750000000);
	assert_int_equal(recording_ns(&recording, 1000 + 3000000000), 1750000000);
	assert_true(recording_tick_ns(&recording) == 0.5);
}

static void test_never_decreases(void **state)
{
	unsigned short seed[3] = {4, 5, 6};

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct recording recording = {.header.clock_kind = KYMO_CLOCK_TSC};
		uint64_t last_monotonic = 0, last_realtime = 0;

		recording.header.pair_count = (uint32_t)nrand48(seed) % (KYMO_CLOCK_PAIRS + 1);
		for (uint32_t i = 0; i < recording.header.pair_count; i++) {
			struct kymo_clock_pair *pair = &recording.header.pairs[i];

			pair->ticks = (uint64_t)nrand48(seed) % 5000;
			pair->monotonic_ns = (uint64_t)nrand48(seed) % 3000;
			pair->realtime_ns = (uint64_t)nrand48(seed) % 7000;
		}
		clock_map_prepare(&recording.header);
		for (uint64_t ticks = 0; ticks < 6000; ticks += 7) {
			uint64_t monotonic = recording_monotonic_ns(&recording, ticks);
			uint64_t realtime = recording_realtime_ns(&recording, ticks);

			assert_true(monotonic >= last_monotonic);
			assert_true(realtime >= last_realtime);
			last_monotonic = monotonic;
			last_realtime = realtime;
		}
	}
}

static void test_extremes_stay_in_range(void **state)
{
	static const uint64_t seconds[] = {0, 1};
	struct recording recording = tsc_recording(seconds, 2);

	(void)state;
	recording.header.pairs[1].monotonic_ns = UINT64_MAX;
	recording.header.pairs[1].ticks = 1001;
	clock_map_prepare(&recording.header);
	assert_true(recording_monotonic_ns(&recording, UINT64_MAX) >=
		    recording_monotonic_ns(&recording, 1002));
	assert_int_equal(recording_monotonic_ns(&recording, 0), 0);
	assert_int_equal(recording_ns(&recording, UINT64_MAX), INT64_MAX);
}

static void test_says_when_rate_is_unknown(void **state)
{
	static const uint64_t seconds[] = {0, 1};
	struct recording recording = tsc_recording(seconds, 1);

	(void)state;
	assert_non_null(strstr(clock_map_prepare(&recording.header), "not calibrated"));
	assert_true(recording_tick_ns(&recording) == 1.0);
	recording = tsc_recording(seconds, 2);
	recording.header.pairs[1].monotonic_ns = recording.header.pairs[0].monotonic_ns + 100;
	assert_non_null(strstr(clock_map_prepare(&recording.header), "for an instant"));
	recording = tsc_recording(seconds, 0);
	recording.header.clock_kind = KYMO_CLOCK_MONOTONIC;
	assert_null(clock_map_prepare(&recording.header));
	assert_int_equal(recording_ns(&recording, 1500), 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linear_between_and_outside),
		cmocka_unit_test(test_heartbeat),
		cmocka_unit_test(test_heartbeat_behind_many),
		cmocka_unit_test(test_rates_differ),
		cmocka_unit_test(test_never_decreases),
		cmocka_unit_test(test_extremes_stay_in_range),
		cmocka_unit_test(test_says_when_rate_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
