/* Which collectors settings ask for. */
#include "config/collectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const struct collector_info *collector(const char *name)
{
	for (size_t i = 0; i < collector_count; i++)
		if (strcmp(collector_table[i].name, name) == 0)
			return &collector_table[i];
	fail_msg("there is no collector '%s'", name);
	return NULL;
}

static void set(struct settings *settings, const char *name, const char *value)
{
	struct problem problem = {""};

	assert_int_equal(settings_set(settings, name, value, SETTING_FROM_COMMAND, &problem), 0);
}

static void test_libraries_have_their_collectors_names(void **state)
{
	char library[64];

	(void)state;
	for (size_t i = 0; i < collector_count; i++) {
		snprintf(library, sizeof(library), "libkymo-%s.so", collector_table[i].name);
		assert_string_equal(collector_table[i].library, library);
	}
}

static void test_one_without_settings_is_always_wanted(void **state)
{
	struct settings *settings = settings_new();

	(void)state;
	assert_true(collector_is_wanted(collector("lifecycle"), settings));
	set(settings, "PROFILE", "OFF");
	assert_true(collector_is_wanted(collector("lifecycle"), settings));
	settings_free(settings);
}

static void test_any_of_its_settings_asks_for_one(void **state)
{
	struct settings *settings = settings_new();

	(void)state;
	assert_false(collector_is_wanted(collector("sampler"), settings));
	set(settings, "SAMPLING", "ON");
	assert_true(collector_is_wanted(collector("sampler"), settings));
	assert_true(collector_is_wanted(collector("signal_hiding"), settings));
	assert_false(collector_is_wanted(collector("counters"), settings));
	set(settings, "PAPI_EVENTS", "PAPI_TOT_CYC");
	assert_true(collector_is_wanted(collector("counters"), settings));
	settings_free(settings);
}

static void test_what_records_calls_needs_a_profile_or_a_trace(void **state)
{
	struct settings *settings = settings_new();

	(void)state;
	set(settings, "FUNCTIONS_API", "libm");
	assert_true(collector_is_wanted(collector("functions"), settings));
	set(settings, "PROFILE", "OFF");
	assert_false(collector_is_wanted(collector("functions"), settings));
	set(settings, "TRACE", "ON");
	assert_true(collector_is_wanted(collector("functions"), settings));
	settings_free(settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries_have_their_collectors_names),
		cmocka_unit_test(test_one_without_settings_is_always_wanted),
		cmocka_unit_test(test_any_of_its_settings_asks_for_one),
		cmocka_unit_test(test_what_records_calls_needs_a_profile_or_a_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
