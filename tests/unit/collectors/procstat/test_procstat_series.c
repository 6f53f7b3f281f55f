/* Series: of which category each is, and that a value stands until it differs. */
#include "collectors/procstat/procstat_series.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *left_out; /* a category that is not recorded */
static uint32_t defined, defined_for;
static char defined_name[128];
static unsigned appended;
static uint64_t appended_ticks;
static bool is_full;

bool kymo_runtime_records(const char *category)
{
	return !left_out || strcmp(category, left_out) != 0;
}

uint32_t kymo_series_define_for(const char *name, const char *unit, uint32_t thread)
{
	(void)unit;
	snprintf(defined_name, sizeof(defined_name), "%s", name);
	defined_for = thread;
	return ++defined;
}

bool kymo_points_append(struct kymo_points *to, uint32_t series, uint64_t ticks, double value)
{
	(void)to, (void)series, (void)value;
	if (is_full)
		return false;
	appended++;
	appended_ticks = ticks;
	return true;
}

static int begin(void **state)
{
	(void)state;
	left_out = NULL;
	defined = appended = 0;
	is_full = false;
	procstat_series_begin();
	procstat_series_now(1000, 2000);
	return 0;
}

static void test_categories(void **state)
{
	(void)state;
	assert_string_equal(series_category_of("CPU Frequency [3] (S)"), "cpu_frequency");
	assert_string_equal(series_category_of("CPU Minor Page Faults (S)"), "process_page_fault");
	assert_string_equal(series_category_of("CPU Memory Usage (S)"), CATEGORY_REST);
	assert_string_equal(series_category_of("Thread Page Faults [1] (S)"), "thread_page_fault");
	assert_string_equal(series_category_of("Thread PAPI_L1_DCM [1] (S)"),
			    "thread_hardware_counter");
	assert_string_equal(series_category_of("Threads (S)"), CATEGORY_REST);
}

static void test_names_and_owners(void **state)
{
	struct procstat_series series;

	(void)state;
	procstat_series_define(&series, "%", "Load [%u]", 3u);
	assert_string_equal(defined_name, "Load [3]");
	assert_int_equal(defined_for, KYMO_NO_THREAD);
	procstat_series_define_thread(&series, 5, "", "Thread X [%u]", 5u);
	assert_int_equal(defined_for, 5);
	assert_int_equal(series.id, 2);
}

static void test_only_what_differs_is_written(void **state)
{
	struct procstat_series series;

	(void)state;
	procstat_series_define(&series, "", "A");
	procstat_put(&series, 0);
	procstat_put(&series, 0);
	assert_int_equal(appended, 1);
	assert_int_equal(appended_ticks, 1000);
	procstat_series_now(3000, 4000);
	procstat_put(&series, 1);
	assert_int_equal(appended, 2);
	assert_int_equal(appended_ticks, 3000);
	assert_int_equal(procstat_now_ns(), 4000);
}

/* A point for which there was no room is not taken for one that stands. */
static void test_a_full_recording(void **state)
{
	struct procstat_series series;

	(void)state;
	procstat_series_define(&series, "", "A");
	is_full = true;
	procstat_put(&series, 7);
	is_full = false;
	procstat_put(&series, 7);
	assert_int_equal(appended, 1);
}

static void test_what_is_left_out(void **state)
{
	struct procstat_series series;

	(void)state;
	left_out = "thread_page_fault";
	procstat_series_define_thread(&series, 1, "", "Thread Page Faults [%u] (S)", 1u);
	assert_int_equal(defined, 0);
	assert_int_not_equal(series.id, 0); /* it is there, for who reads files for it */
	procstat_put(&series, 1);
	assert_int_equal(appended, 0);
}

static void test_growth(void **state)
{
	struct procstat_growth growth = {.has_first = false};

	(void)state;
	assert_true(procstat_grown(&growth, 100) == 0);
	assert_true(procstat_grown(&growth, 130) == 30);
	assert_true(procstat_grown(&growth, 90) == -10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_categories, begin),
		cmocka_unit_test_setup(test_names_and_owners, begin),
		cmocka_unit_test_setup(test_only_what_differs_is_written, begin),
		cmocka_unit_test_setup(test_a_full_recording, begin),
		cmocka_unit_test_setup(test_what_is_left_out, begin),
		cmocka_unit_test_setup(test_growth, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
