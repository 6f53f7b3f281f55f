/* Counters that are named, whether or not they can be had here. */
#include "cli/counter_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "platform/perfevents.h"

static struct problem problem;

static enum kymo_status check(const char *setting, const char *events)
{
	struct settings *settings = settings_new();
	enum kymo_status status;

	assert_int_equal(settings_set(settings, setting, events, SETTING_FROM_COMMAND, NULL),
			 KYMO_OK);
	status = counters_check(settings, &problem);
	settings_free(settings);
	return status;
}

static void assert_begins(const char *text, const char *expected)
{
	assert_int_equal(strncmp(text, expected, strlen(expected)), 0);
}

/* That they are known is enough. */
static void test_events_of_the_kernel(void **state)
{
	(void)state;
	assert_int_equal(check("PAPI_EVENTS", ""), KYMO_OK);
	for (size_t i = 0; i < perfevent_count; i++) {
		char name[128];

		snprintf(name, sizeof(name), "perf::%s", perfevent_table[i].name);
		assert_int_equal(check("SAMPLING_OVERFLOW_EVENT", name), KYMO_OK);
		assert_int_equal(check("PAPI_EVENTS", name), KYMO_OK);
		if (perfevent_table[i].papi)
			assert_int_equal(check("PAPI_EVENTS", perfevent_table[i].papi), KYMO_OK);
	}
}

/* Each of a list is looked at; the nearest name comes first. */
static void test_names_that_are_near(void **state)
{
	(void)state;
	assert_int_equal(check("PAPI_EVENTS", "perf::PERF_COUNT_SW_PAGE_FAULTS, "
					      "perf::PERF_COUNT_SW_PAGE_FALTS"),
			 KYMO_USAGE);
	assert_begins(problem.text,
		      "unknown event 'perf::PERF_COUNT_SW_PAGE_FALTS' in KYMO_PAPI_EVENTS; "
		      "did you mean 'perf::PERF_COUNT_SW_PAGE_FAULTS'");
}

static void test_names_that_are_like_none(void **state)
{
	(void)state;
	assert_int_equal(check("SAMPLING_OVERFLOW_EVENT", "zzzzzzzz"), KYMO_USAGE);
	assert_begins(problem.text,
		      "unknown event 'zzzzzzzz' in KYMO_SAMPLING_OVERFLOW_EVENT; 'kymo avail "
		      "-H' lists them");
}

/* Those that cannot be had are listed, too, with the reason. */
static void test_list(void **state)
{
	struct avail_list list;

	(void)state;
	avail_counters(&list);
	assert_false(list.has_failed);
	assert_true(list.row_count >= perfevent_count);
	for (size_t i = 0; i < list.row_count; i++) {
		const struct avail_row *row = &list.rows[i];

		assert_string_equal(row->cells[2], row->is_available ? "true" : "false");
		assert_true(row->is_available || strstr(row->cells[3], " (not here: "));
	}
	avail_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_of_the_kernel),
		cmocka_unit_test(test_names_that_are_near),
		cmocka_unit_test(test_names_that_are_like_none),
		cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
