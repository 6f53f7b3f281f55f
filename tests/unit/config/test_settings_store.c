/* The settings: their defaults, and which of two sources stays. */
#include "config/settings.h"

#include "settings_fixture.h"

static void test_defaults_are_valid(void **state)
{
	(void)state;
	for (int id = 0; id < SETTING_COUNT; id++) {
		const struct setting_row *row = &setting_table[id];

		assert_string_equal(settings_text(settings, (enum setting_id)id),
				    row->default_text);
		assert_int_equal(settings_source(settings, (enum setting_id)id),
				 SETTING_FROM_DEFAULT);
		assert_int_equal(settings_set(settings, row->name, row->default_text,
					      SETTING_FROM_COMMAND, &problem),
				 KYMO_OK);
		assert_string_equal(settings_text(settings, (enum setting_id)id),
				    row->default_text);
		assert_int_not_equal(strlen(row->help), 0);
		assert_int_not_equal(strlen(row->categories), 0);
	}
}

static void test_names_are_unique(void **state)
{
	(void)state;
	for (int id = 0; id < SETTING_COUNT; id++)
		assert_int_equal(settings_find(setting_table[id].name), id);
}

static void test_empty_values(void **state)
{
	(void)state;
	assert_set("TRACE", "ON", SET_TRACE, "ON");
	assert_set("TRACE", "", SET_TRACE, "OFF");
	assert_set("CLOCK", " ", SET_CLOCK, "auto");
	assert_set("PYTHON_FUNCTION_EXCLUDE", "", SET_PYTHON_FUNCTION_EXCLUDE, "");
	assert_set("OUTPUT_PATH", "", SET_OUTPUT_PATH, "");
}

static void test_stronger_sources_stay(void **state)
{
	(void)state;
	assert_set("OUTPUT_PATH", "a", SET_OUTPUT_PATH, "a");
	assert_int_equal(settings_set(settings, "OUTPUT_PATH", "b", SETTING_FROM_ENVIRONMENT, NULL),
			 KYMO_OK);
	assert_string_equal(settings_text(settings, SET_OUTPUT_PATH), "a");
	assert_int_equal(settings_source(settings, SET_OUTPUT_PATH), SETTING_FROM_COMMAND);
	assert_set("OUTPUT_PATH", "c", SET_OUTPUT_PATH, "c");
}

static void test_events_are_kept_for_a_row_a_call(void **state)
{
	const char *timeline[] = {"OMNITRACE_TIMELINE_PROFILE=ON", "OMNITRACE_TRACE=OFF", NULL};

	(void)state;
	assert_false(settings_keep_events(settings));
	assert_loaded(timeline, SET_TRACE, "OFF");
	assert_true(settings_keep_events(settings));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_defaults_are_valid),
		CASE(test_names_are_unique),
		CASE(test_empty_values),
		CASE(test_stronger_sources_stay),
		CASE(test_events_are_kept_for_a_row_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
