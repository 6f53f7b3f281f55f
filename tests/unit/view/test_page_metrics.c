/* Section "metrics": what any process recorded besides time and calls, each once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/page_fixture.h"
#include "view/page_metrics.h"

static struct page_metrics metrics_of(const uint32_t *first, uint32_t first_count,
				      const uint32_t *second, uint32_t second_count)
{
	static struct calltree_metric some;
	const struct calltree trees[] = {
		{.metrics = &some, .metric_ids = first, .metric_count = first_count},
		{.metrics = &some, .metric_ids = second, .metric_count = second_count},
	};
	const struct calltree *const list[] = {&trees[0], &trees[1]};

	return page_metrics_of(list, 2);
}

static void test_each_is_listed_once_in_the_order_met(void **state)
{
	static const uint32_t first[] = {KYMO_METRIC_PEAK_RSS, KYMO_METRIC_CPU_CLOCK},
			      second[] = {KYMO_METRIC_CPU_CLOCK, KYMO_METRIC_CURRENT_PEAK_RSS};
	struct page_metrics metrics = metrics_of(first, 2, second, 2);

	(void)state;
	assert_int_equal(metrics.count, 3);
	assert_int_equal(page_metrics_find(&metrics, KYMO_METRIC_PEAK_RSS), 0);
	assert_int_equal(page_metrics_find(&metrics, KYMO_METRIC_CPU_CLOCK), 1);
	assert_int_equal(page_metrics_find(&metrics, KYMO_METRIC_CURRENT_PEAK_RSS), 2);
	assert_true(page_metrics_find(&metrics, KYMO_METRIC_THREAD_CPU_CLOCK) == PAGE_METRIC_NONE);
}

static void test_time_calls_and_unknown_ones_are_none(void **state)
{
	static const uint32_t ids[] = {KYMO_METRIC_WALL_CLOCK, KYMO_METRIC_TRIP_COUNT, 0xfffffff0};
	struct page_metrics metrics = metrics_of(ids, 3, NULL, 0);

	(void)state;
	assert_int_equal(metrics.count, 0);
}

static void test_trees_without_values_have_none(void **state)
{
	static const uint32_t id = KYMO_METRIC_PEAK_RSS;
	const struct calltree tree = {.metric_ids = &id, .metric_count = 1};
	const struct calltree *const list[] = {&tree};

	(void)state;
	assert_int_equal(page_metrics_of(list, 1).count, 0);
}

static void test_section_tells_levels_from_what_adds_up(void **state)
{
	static const enum kymo_metric metrics[] = {KYMO_METRIC_CPU_CLOCK,
						   KYMO_METRIC_CURRENT_PEAK_RSS};
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	char *text;

	(void)state;
	synthetic_metrics(made, metrics, 2);
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	text = page_fixture_section(made, US(4), &page_metrics_section);
	assert_has(text, "[{\"name\":\"cpu_clock\",");
	assert_has(text, "\"unit\":\"ns\",\"adds\":true},{\"name\":\"current_peak_rss\",");
	assert_has(text, "\"unit\":\"bytes\",\"adds\":false}]");
	free(text);
}

static void test_without_metrics_there_is_no_section(void **state)
{
	char *text = page_fixture_section(page_fixture_calls(), US(20), &page_metrics_section);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_is_listed_once_in_the_order_met),
		cmocka_unit_test(test_time_calls_and_unknown_ones_are_none),
		cmocka_unit_test(test_trees_without_values_have_none),
		cmocka_unit_test(test_section_tells_levels_from_what_adds_up),
		cmocka_unit_test(test_without_metrics_there_is_no_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
