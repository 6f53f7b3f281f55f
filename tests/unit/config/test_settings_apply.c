/* Settings that say something of others. */
#include "config/settings.h"

#include "settings_fixture.h"

/* Of which environments the lists of Python's filter are those of the other tools. */
static void test_defaults_of_other_tools(void **state)
{
	const char *own[] = {"KYMO_TRACE=ON", "OMNITRACE_PATH=/opt", "ROCPROFSYS_NEWS=1", NULL};
	const char *theirs[] = {"ROCPROFSYS_TRACE=OFF", NULL};
	const char *theirs_by_alias[] = {"OMNITRACE_USE_PERFETTO=OFF", NULL};
	const char *chosen[] = {"OMNITRACE_PROFILE=ON", "KYMO_PYTHON_FUNCTION_EXCLUDE=^main$",
				"OMNITRACE_PYTHON_MODULE_EXCLUDE=", NULL};

	(void)state;
	assert_int_equal(load(own, NULL), KYMO_OK);
	assert_string_equal(settings_text(settings, SET_PYTHON_FUNCTION_EXCLUDE), "");
	assert_string_equal(settings_text(settings, SET_PYTHON_MODULE_EXCLUDE), "");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(load(i ? theirs : theirs_by_alias, NULL), KYMO_OK);
		assert_string_equal(settings_text(settings, SET_PYTHON_FUNCTION_EXCLUDE), "^<.*>$");
		assert_string_equal(settings_text(settings, SET_PYTHON_MODULE_EXCLUDE),
				    "(encoder|decoder|threading).py$ ^<.*>$");
	}
	assert_int_equal(load(chosen, NULL), KYMO_OK);
	assert_string_equal(settings_text(settings, SET_PYTHON_FUNCTION_EXCLUDE), "^main$");
	assert_string_equal(settings_text(settings, SET_PYTHON_MODULE_EXCLUDE), "");
}

static void test_modes_are_defaults(void **state)
{
	const char *sampling[] = {"OMNITRACE_MODE=sampling", NULL};
	const char *trace[] = {"ROCPROFSYS_MODE=TRACE", NULL};
	const char *told[] = {"KYMO_MODE=sampling", "KYMO_PROFILE=ON", "KYMO_SAMPLING=OFF", NULL};
	const char *causal[] = {"ROCPROFSYS_MODE=causal", NULL};

	(void)state;
	assert_loaded(sampling, SET_SAMPLING, "ON");
	assert_string_equal(settings_text(settings, SET_PROCESS_SAMPLING), "ON");
	assert_string_equal(settings_text(settings, SET_PROFILE), "OFF");
	assert_string_equal(settings_text(settings, SET_TRACE), "OFF");
	assert_loaded(trace, SET_TRACE, "ON");
	assert_string_equal(settings_text(settings, SET_PROFILE), "OFF");
	assert_string_equal(settings_text(settings, SET_SAMPLING), "OFF");
	assert_loaded(told, SET_SAMPLING, "OFF");
	assert_string_equal(settings_text(settings, SET_PROFILE), "ON");
	assert_loaded(causal, SET_PROFILE, "ON");
	assert_int_equal(settings_warning_count(settings), 1);
	assert_string_equal(settings_warning(settings, 0),
			    "KYMO_MODE=causal has no effect: there is no such mode");
}

static void test_other_tools_record_all_calls_of_locks(void **state)
{
	const char *other[] = {"OMNITRACE_TRACE_THREAD_LOCKS=ON", NULL};
	const char *own[] = {"KYMO_TRACE_THREAD_LOCKS=ON", NULL};
	const char *told[] = {"OMNITRACE_TRACE_THREAD_LOCKS=ON", "KYMO_LOCKS_RECORD=contention",
			      NULL};

	(void)state;
	assert_loaded(other, SET_LOCKS_RECORD, "all");
	assert_string_equal(settings_text(settings, SET_TRACE_THREAD_LOCKS), "ON");
	assert_loaded(own, SET_LOCKS_RECORD, "contention");
	assert_loaded(told, SET_LOCKS_RECORD, "contention");
}

static void test_debug_is_verbose(void **state)
{
	const char *debug[] = {"KYMO_DEBUG=ON", NULL};
	const char *stronger[] = {"VERBOSE=1", NULL};

	(void)state;
	assert_int_equal(load(debug, NULL), KYMO_OK);
	assert_int_equal(settings_integer(settings, SET_VERBOSE), 4);
	assert_int_equal(load(debug, stronger), KYMO_OK);
	assert_int_equal(settings_integer(settings, SET_VERBOSE), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_defaults_of_other_tools),
		CASE(test_modes_are_defaults),
		CASE(test_other_tools_record_all_calls_of_locks),
		CASE(test_debug_is_verbose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
