/* What names mean: settings, older names, those of other tools, and what was meant. */
#include "config/settings.h"

#include "settings_fixture.h"

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(settings_find("TRACE"), SET_TRACE);
	assert_int_equal(settings_find("KYMO_TRACE"), SET_TRACE);
	assert_int_equal(settings_find("kymo_trace"), SET_TRACE);
	assert_int_equal(settings_find("output-path"), SET_OUTPUT_PATH);
	assert_int_equal(settings_find("ROCPROFSYS_TRACE"), SET_TRACE);
	assert_int_equal(settings_find("OMNITRACE_USE_PERFETTO"), SET_TRACE);
	assert_int_equal(settings_find("USE_TIMEMORY"), SET_PROFILE);
	assert_int_equal(settings_find("OUTPUT_FILE"), SET_PERFETTO_FILE);
	assert_int_equal(settings_find("KYMO_"), -1);
	assert_int_equal(settings_find(""), -1);
	assert_int_equal(settings_find("TRACE_"), -1);
}

static void test_suggest(void **state)
{
	(void)state;
	assert_string_equal(settings_nearest("KYMO_TRAEC"), "TRACE");
	assert_string_equal(settings_nearest("outputpath"), "OUTPUT_PATH");
	assert_null(settings_nearest("FOOBAR"));
}

static void test_unknown_names_are_told(void **state)
{
	(void)state;
	assert_refused("KYMO_TRAEC", "ON",
		       "unknown setting 'KYMO_TRAEC' (command line); did you mean KYMO_TRACE?");
	assert_refused("FOOBAR", "ON",
		       "unknown setting 'FOOBAR' (command line); 'kymo avail' lists the settings");
	assert_refused("KYMO_SAMPLING_GPUS", "1",
		       "unknown setting 'KYMO_SAMPLING_GPUS' (command line); did you mean "
		       "KYMO_SAMPLING_CPUS?");
}

static void test_foreign_settings_have_no_effect(void **state)
{
	const char *quiet[] = {"ROCPROFSYS_USE_CAUSAL=ON", NULL};
	const char *verbose[] = {"OMNITRACE_SAMPLING_GPUS=9", "KYMO_VERBOSE=1",
				 "KYMO_CONFIG_FILE=a.cfg", NULL};

	(void)state;
	assert_int_equal(load(quiet, NULL), KYMO_OK);
	assert_int_equal(settings_warning_count(settings), 0);
	write_file("a.cfg", "ROCPROFSYS_ROCM_EVENTS = X\n");
	assert_int_equal(load(verbose, NULL), KYMO_OK);
	assert_int_equal(settings_warning_count(settings), 2);
	assert_string_equal(settings_warning(settings, 0),
			    "OMNITRACE_SAMPLING_GPUS (environment) has no effect here");
	assert_string_equal(settings_warning(settings, 1),
			    "ROCPROFSYS_ROCM_EVENTS (a.cfg:1) has no effect here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_names),
		CASE(test_suggest),
		CASE(test_unknown_names_are_told),
		CASE(test_foreign_settings_have_no_effect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
