/* What the points of series come to. */
#include "model/recording/series_stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/recording/recording_open.h"
#include "synthetic.h"

static struct synthetic *synthetic;

static int begin(void **state)
{
	(void)state;
	synthetic = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	synthetic_thread(synthetic, KYMO_NO_THREAD, "MainThread", 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	synthetic_free(synthetic);
	return 0;
}

static struct series_stats *stats_at_1000(struct recording **recording_out)
{
	struct series_stats *stats;

	synthetic_close(synthetic, 1000);
	*recording_out = synthetic_open(synthetic);
	stats = series_stats_new(*recording_out);
	assert_non_null(stats);
	return stats;
}

/* A value stands until the next one. */
static void test_means_are_by_time(void **state)
{
	uint32_t series = synthetic_series(synthetic, "rss", "B", KYMO_NO_THREAD);
	struct recording *recording;
	struct series_stats *stats;

	(void)state;
	synthetic_point(synthetic, series, 100, 10);
	synthetic_point(synthetic, series, 400, -2);
	synthetic_point(synthetic, series, 900, 50);
	stats = stats_at_1000(&recording);
	assert_int_equal(stats[series].count, 3);
	assert_true(stats[series].min == -2 && stats[series].max == 50);
	assert_true(stats[series].first == 10 && stats[series].last == 50);
	assert_float_equal(stats[series].mean, (300 * 10 - 500 * 2 + 100 * 50) / 900.0, 1e-9);
	free(stats);
	recording_free(recording);
}

/* Threads write at their own pace. */
static void test_points_come_in_any_order(void **state)
{
	uint32_t other = synthetic_series(synthetic, "other", "B", KYMO_NO_THREAD),
		 series = synthetic_series(synthetic, "rss", "B", KYMO_NO_THREAD),
		 empty = synthetic_series(synthetic, "none", "B", KYMO_NO_THREAD);
	struct recording *recording;
	struct series_stats *stats;

	(void)state;
	synthetic_point(synthetic, series, 900, 3);
	synthetic_point(synthetic, other, 500, 7);
	synthetic_point(synthetic, series, 100, 1);
	synthetic_point(synthetic, series, 500, 2);
	stats = stats_at_1000(&recording);
	assert_true(stats[series].first == 1 && stats[series].last == 3);
	assert_float_equal(stats[series].mean, (400 * 1 + 400 * 2 + 100 * 3) / 900.0, 1e-9);
	assert_int_equal(stats[other].count, 1);
	assert_float_equal(stats[other].mean, 7, 0);
	assert_int_equal(stats[empty].count, 0);
	assert_float_equal(stats[empty].mean, 0, 0);
	free(stats);
	recording_free(recording);
}

static void test_what_is_no_value_is_left_out(void **state)
{
	uint32_t series = synthetic_series(synthetic, "rss", "B", KYMO_NO_THREAD);
	struct recording *recording;
	struct series_stats *stats;

	(void)state;
	synthetic_point(synthetic, series, 100, NAN);
	synthetic_point(synthetic, series, 200, INFINITY);
	synthetic_point(synthetic, series, 300, -1e300);
	synthetic_point(synthetic, series, 1000, 5); /* stands for no time at all */
	synthetic_point(synthetic, series + 1000, 400, 6);
	stats = stats_at_1000(&recording);
	assert_int_equal(stats[series].count, 1);
	assert_float_equal(stats[series].mean, 5, 0);
	free(stats);
	recording_free(recording);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_means_are_by_time),
		CASE(test_points_come_in_any_order),
		CASE(test_what_is_no_value_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
