/* Categories: which are recorded, and the settings that are off without them. */
#include "config/categories.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "config/settings.h"
#include "config/settings_load.h"

static struct settings *settings; /* of the running test */

static int set_up(void **state)
{
	(void)state;
	settings = settings_new();
	return settings != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	settings_free(settings);
	return 0;
}

static void load(const char *const *overrides)
{
	static char *const environment[] = {NULL};
	struct problem problem;

	assert_int_equal(settings_load(settings, environment, overrides, &problem), KYMO_OK);
}

static void assert_is(enum setting_id id, const char *expected)
{
	assert_string_equal(settings_text(settings, id), expected);
}

static void test_lists(void **state)
{
	(void)state;
	assert_true(category_is_on("", "", "python"));
	assert_true(category_is_on("python, user", "", "USER"));
	assert_false(category_is_on("python, user", "", "pthread"));
	assert_false(category_is_on("", "user;python", "python"));
	assert_false(category_is_on("python", "python", "python"));
	assert_true(category_is_on("python", "", "no such category"));
}

static void test_parts_follow_their_whole(void **state)
{
	(void)state;
	assert_false(category_is_on("", "process_sampling", "cpu_frequency"));
	assert_true(category_is_on("process_sampling", "", "cpu_frequency"));
	assert_false(category_is_on("process_sampling", "cpu_frequency", "cpu_frequency"));
	assert_true(category_is_on("cpu_frequency", "", "cpu_frequency"));
	assert_false(category_is_on("cpu_frequency", "", "process_sampling"));
}

static void test_settings_are_off_whoever_set_them(void **state)
{
	const char *overrides[] = {"DISABLE_CATEGORIES=host pthread python thread_hardware_counter",
				   "FUNCTIONS=ON",
				   "FUNCTIONS_API=libm",
				   "TRACE_THREAD_LOCKS=ON",
				   "PAPI_EVENTS=perf::CYCLES",
				   "PROCESS_SAMPLING=ON",
				   NULL};

	(void)state;
	load(overrides);
	assert_is(SET_FUNCTIONS, "OFF");
	assert_is(SET_FUNCTIONS_API, "");
	assert_is(SET_TRACE_THREAD_LOCKS, "OFF");
	assert_is(SET_TRACE_THREAD_JOIN, "OFF");
	assert_is(SET_PYTHON_INSTRUMENTER, "dummy");
	assert_is(SET_PAPI_EVENTS, "");
	assert_is(SET_PROCESS_SAMPLING, "ON");
	assert_int_equal(settings_warning_count(settings), 0);
}

static void test_series_of_one_category_are_enough(void **state)
{
	const char *none[] = {"ENABLE_CATEGORIES=python", "PROCESS_SAMPLING=ON", NULL};
	const char *one[] = {"ENABLE_CATEGORIES=cpu_frequency", "PROCESS_SAMPLING=ON", NULL};

	(void)state;
	load(one);
	assert_is(SET_PROCESS_SAMPLING, "ON");
	assert_is(SET_PYTHON_INSTRUMENTER, "dummy");
	settings_free(settings);
	settings = settings_new();
	load(none);
	assert_is(SET_PROCESS_SAMPLING, "OFF");
	assert_is(SET_PYTHON_INSTRUMENTER, "auto");
}

/* Samples are not taken in another way because the chosen one is off. */
static void test_sampling(void **state)
{
	const char *timer[] = {"DISABLE_CATEGORIES=timer_sampling", "SAMPLING=ON", NULL};
	const char *overflow[] = {"DISABLE_CATEGORIES=overflow_sampling", "SAMPLING=ON",
				  "SAMPLING_OVERFLOW=ON", NULL};
	const char *both[] = {"DISABLE_CATEGORIES=overflow_sampling", "SAMPLING=ON",
			      "SAMPLING_OVERFLOW=ON", "SAMPLING_CPUTIME=ON", NULL};
	const char *all[] = {"ENABLE_CATEGORIES=sampling", "SAMPLING=ON", NULL};
	const struct {
		const char *const *overrides;
		const char *sampling, *by_overflow;
	} cases[] = {
		{timer, "OFF", "OFF"},
		{overflow, "OFF", "ON"},
		{both, "ON", "OFF"},
		{all, "ON", "OFF"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		settings_free(settings);
		settings = settings_new();
		load(cases[i].overrides);
		assert_is(SET_SAMPLING, cases[i].sampling);
		assert_is(SET_SAMPLING_OVERFLOW, cases[i].by_overflow);
	}
}

static void test_names(void **state)
{
	const char *overrides[] = {"DISABLE_CATEGORIES=pythn mpi rocm_hip_api device_busy", NULL};

	(void)state;
	load(overrides);
	assert_int_equal(settings_warning_count(settings), 1);
	assert_string_equal(settings_warning(settings, 0),
			    "KYMO_DISABLE_CATEGORIES: there is no category 'pythn'; it has no "
			    "effect; did you mean python?");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_lists),
		CASE(test_parts_follow_their_whole),
		CASE(test_settings_are_off_whoever_set_them),
		CASE(test_series_of_one_category_are_enough),
		CASE(test_sampling),
		CASE(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
