/* What the settings ask for: how often, from when, and how long. */
#include "collectors/procstat/procstat.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/notes_fixture.h"
#include "collectors/settings_fixture.h"

static struct procstat_plan got;
static bool has_begun, is_list;
static char events[64];

void kymo_runtime_on_open(kymo_open_fn listener)
{
	(void)listener;
}

void procstat_begin(const struct procstat_plan *plan)
{
	got = *plan;
	has_begun = true;
}

bool procstat_cores_choose(const char *list)
{
	(void)list;
	return is_list;
}

void procstat_counters_choose(const char *list)
{
	strncpy(events, list, sizeof(events) - 1);
}

static int setup(void **state)
{
	(void)state;
	settings_forget();
	notes_forget();
	has_begun = false;
	is_list = true;
	settings_give("PROCESS_SAMPLING", "ON");
	return 0;
}

static void test_off(void **state)
{
	(void)state;
	settings_give("PROCESS_SAMPLING", "OFF");
	procstat_on_open();
	assert_false(has_begun);
	settings_forget();
	procstat_on_open();
	assert_false(has_begun);
}

/* As often as samples are taken, but no more than a hundred times a second unless asked to. */
static void test_rates(void **state)
{
	(void)state;
	procstat_on_open();
	assert_int_equal(got.period_ns, 10000000);
	settings_give("SAMPLING_FREQ", "50");
	procstat_on_open();
	assert_int_equal(got.period_ns, 20000000);
	settings_give("SAMPLING_FREQ", "900");
	procstat_on_open();
	assert_int_equal(got.period_ns, 10000000);
	settings_give("PROCESS_SAMPLING_FREQ", "500");
	procstat_on_open();
	assert_int_equal(got.period_ns, 2000000);
	settings_give("PROCESS_SAMPLING_FREQ", "1e7");
	procstat_on_open();
	assert_int_equal(got.period_ns, 1000000);
}

static void test_when(void **state)
{
	(void)state;
	settings_give("SAMPLING_DELAY", "0.5");
	settings_give("SAMPLING_DURATION", "3");
	settings_give("PROCESS_SAMPLING_DELAY", "-1"); /* as for samples */
	settings_give("PROCESS_SAMPLING_DURATION", "2");
	procstat_on_open();
	assert_int_equal(got.delay_ns, 500000000);
	assert_int_equal(got.duration_ns, 2000000000);
	settings_give("PROCESS_SAMPLING_DELAY", "0");
	procstat_on_open();
	assert_int_equal(got.delay_ns, 0);
}

static void test_what_else(void **state)
{
	(void)state;
	is_list = false;
	settings_give("SAMPLING_CPUS", "a-b");
	settings_give("PAPI_EVENTS", "perf::PAGE-FAULTS");
	settings_give("PROCESS_SAMPLING_ROOT", "/somewhere");
	procstat_on_open();
	assert_true(has_begun);
	assert_string_equal(got.root, "/somewhere");
	assert_string_equal(events, "perf::PAGE-FAULTS");
	assert_string_equal(notes_kept,
			    "machine: SAMPLING_CPUS is no list of cores like 0,4-7: all "
			    "are recorded\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_off, setup),
		cmocka_unit_test_setup(test_rates, setup),
		cmocka_unit_test_setup(test_when, setup),
		cmocka_unit_test_setup(test_what_else, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
