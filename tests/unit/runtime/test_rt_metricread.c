/* Metrics beside the wall clock: chosen by name, read at the edges of nodes. */
#include "runtime/metricread.h"

#include "format/metric.h"
#include "runtime/hot.h"
#include "runtime/store_fixture.h"

static uint32_t chosen[KYMO_METRICS_MAX];
static char unknown[32];

static uint32_t choose(const char *components)
{
	memset(unknown, 'x', sizeof(unknown));
	return metrics_select(components, chosen, unknown, sizeof(unknown));
}

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(choose(""), 0);
	assert_string_equal(unknown, "");
	assert_int_equal(choose(" peak_rss,, page_rss;\tpeak_rss "), 2); /* each once */
	assert_int_equal(chosen[0], KYMO_METRIC_PEAK_RSS);
	assert_int_equal(chosen[1], KYMO_METRIC_PAGE_RSS);
	assert_string_equal(unknown, "");
	assert_int_equal(choose("wall_clock,trip_count"), 0); /* every node has them */
	assert_int_equal(choose("peak_rss,no_such,page_rss"), 2);
	assert_string_equal(unknown, "no_such");
	choose("a_name_that_is_longer_than_there_is_room");
	assert_int_equal(strlen(unknown), sizeof(unknown) - 1);
}

/* What readers derive is measured by its clock. */
static void test_derived(void **state)
{
	(void)state;
	assert_int_equal(choose("thread_cpu_util"), 1);
	assert_int_equal(chosen[0], metric_clock_of(KYMO_METRIC_THREAD_CPU_UTIL));
	assert_int_equal(choose("thread_cpu_util,thread_cpu_clock"), 1);
}

/* All that there are, but for what every node has. */
static void test_each(void **state)
{
	(void)state;
	for (unsigned i = 0; i < KYMO_METRIC_COUNT; i++) {
		const bool is_in_all = i == KYMO_METRIC_WALL_CLOCK || i == KYMO_METRIC_TRIP_COUNT;

		assert_int_equal(choose(metric_info((enum kymo_metric)i)->name), !is_in_all);
		assert_string_equal(unknown, "");
	}
}

static void differences(void)
{
	struct {
		struct kymo_node node;
		struct kymo_node_metric metrics[2];
	} open = {.metrics = {{.min = 1e300, .max = -1e300}, {.min = 1e300, .max = -1e300}}};
	static const char *const settings[] = {
		"TIMEMORY_COMPONENTS=monotonic_clock,current_peak_rss", NULL};

	fixture_open(settings);
	CHECK(store.header->metric_count == 2);
	for (int i = 0; i < 2; i++) {
		kymo_callpath_metrics_enter(NULL, &open.node);
		kymo_callpath_metrics_exit(NULL, &open.node);
	}
	for (uint32_t i = 0; i < 2; i++) {
		const struct kymo_node_metric *metric = &open.metrics[i];

		CHECK(metric->count == 2 && metric->min <= metric->max && metric->min >= 0);
		if (store.header->metrics[i] == KYMO_METRIC_MONOTONIC_CLOCK)
			CHECK(metric->sum == metric->min + metric->max);
		else /* a level: what it was at last */
			CHECK(metric->sum == metric->max && metric->sum > 1 << 16);
	}
}
CASE(differences)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_derived),
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
