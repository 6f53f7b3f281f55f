/* The table of metrics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_metric_is_named_once),
		cmocka_unit_test(test_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
