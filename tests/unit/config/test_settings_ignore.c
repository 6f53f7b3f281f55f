/* Wrong values of the environment, which stops no program. */
#include "config/settings.h"

#include "config/settings_ignore.h"
#include "settings_fixture.h"

static void test_ignored_is_what_the_environment_gave(void **state)
{
	const char *environment[] = {"KYMO_TRACE_PERIODS=x", "KYMO_TRACE_DELAY=1",
				     "KYMO_MAX_DEPTH=7", NULL};
	const char *overrides[] = {"TRACE_DELAY=2", NULL};
	const struct problem wrong = {"it is wrong"};

	(void)state;
	assert_int_equal(load(environment, overrides), KYMO_OK);
	assert_int_equal(settings_ignore_environment(settings, "NONE TRACE_", &wrong), KYMO_OK);
	assert_string_equal(settings_text(settings, SET_TRACE_PERIODS), "");
	assert_int_equal(settings_integer(settings, SET_TRACE_DELAY), 2);
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 7);
	assert_int_equal(settings_warning_count(settings), 1);
	assert_string_equal(settings_warning(settings, 0),
			    "it is wrong; the environment's value has no effect");
	assert_int_equal(settings_ignore_environment(settings, "NONE TRACE_", &wrong), KYMO_USAGE);
	assert_int_equal(settings_warning_count(settings), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_ignored_is_what_the_environment_gave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
