/* The table of metrics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/metric.h"

static void test_every_metric_is_named_once(void **state)
{
	(void)state;
	for (int i = 0; i < KYMO_METRIC_COUNT; i++) {
		const struct metric_info *info = metric_info((enum kymo_metric)i);

		assert_non_null(info);
		assert_int_equal(info->metric, i);
		assert_ptr_equal(metric_find(info->name), info);
		assert_true(strlen(info->description) > 0);
		assert_true(info->display_scale > 0);
	}
	assert_null(metric_info(KYMO_METRIC_COUNT));
	assert_null(metric_info((enum kymo_metric) - 1));
	assert_null(metric_find("no_such_metric"));
	assert_null(metric_find(""));
}

static void test_units(void **state)
{
	const struct metric_info *wall = metric_find("wall_clock");
	const struct metric_info *memory = metric_find("peak_rss");
	const struct metric_info *trips = metric_find("trip_count");

	(void)state;
	assert_string_equal(wall->description, "Real-clock timer (i.e. wall-clock timer)");
	assert_string_equal(wall->unit, "ns");
	assert_string_equal(wall->display_unit, "sec");
	assert_true(wall->display_scale == 1e-9);
	assert_string_equal(memory->display_unit, "MB");
	assert_true(memory->display_scale == 1e-6);
	assert_string_equal(trips->description, "Counts number of invocations");
	assert_string_equal(trips->display_unit, "");
	assert_true(metric_find("thread_cpu_clock")->is_per_thread);
	assert_false(metric_find("process_cpu_clock")->is_per_thread);
	assert_false(metric_find("current_peak_rss")->is_accumulated);
}

static void test_named(void **state)
{
	uint32_t first = metric_define("perf::X", "", "What X counts"), last = 0;
	char name[16];

	(void)state;
	assert_int_equal(first, KYMO_METRIC_NAMED);
	assert_int_equal(metric_define("perf::X", "other", "other"), first);
	assert_ptr_equal(metric_find("perf::X"), metric_info((enum kymo_metric)first));
	assert_string_equal(metric_find("perf::X")->description, "What X counts");
	assert_true(metric_find("perf::X")->is_accumulated);
	/* Names of the table stay what they are. */
	assert_int_equal(metric_define("wall_clock", "", ""), KYMO_METRIC_WALL_CLOCK);
	assert_null(metric_info((enum kymo_metric)(first + 1)));
	for (unsigned i = 1; i <= METRIC_NAMED_MAX; i++) {
		snprintf(name, sizeof(name), "X%u", i);
		last = metric_define(name, "", "");
	}
	assert_int_equal(last, KYMO_METRIC_COUNT);
	assert_int_equal(metric_named_count(), METRIC_NAMED_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_every_metric_is_named_once),
		cmocka_unit_test(test_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
