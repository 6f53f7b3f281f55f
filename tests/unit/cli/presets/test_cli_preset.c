/* Presets: what a file sets, and what is wrong with it. */
#include "cli/presets/preset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preset_fixture.h"

static void test_keys_are_settings(void **state)
{
	(void)state;
	for (size_t i = 0; i < preset_key_count; i++) {
		const struct preset_key *key = &preset_key_table[i];

		if (settings_find(key->setting) < 0)
			fail_msg("%s: %s is no setting", key->name, key->setting);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(preset_key_table[k].name, key->name);
	}
}

static void test_values(void **state)
{
	struct file file;

	(void)state;
	load(&file, "{\"metadata\": {\"name\": \"x\", \"description\": \"Of \\\"x\\\"\"},"
		    "\"tracing\": {\"enabled\": true},"
		    "\"advanced\": {\"max_depth\": 12, \"timemory_components\": [\"wall_clock\","
		    "\"peak_rss\"]}, \"settings\": {\"KYMO_PRECISION\": -1, \"trace\": false}}");
	assert_string_equal(file.problem.text, "");
	assert_int_equal(file.status, KYMO_OK);
	assert_string_equal(file.preset.description, "Of \"x\"");
	assert_string_equal(file.preset.values[SET_TRACE], "OFF"); /* the later one */
	assert_string_equal(file.preset.values[SET_MAX_DEPTH], "12");
	assert_string_equal(file.preset.values[SET_PRECISION], "-1");
	assert_string_equal(file.preset.values[SET_TIMEMORY_COMPONENTS], "wall_clock peak_rss");
	assert_null(file.preset.values[SET_PROFILE]);
	assert_int_equal(file.preset.missing_count, 0);
	release(&file);
}

/* What the build does not have is missed only where it was asked for. */
static void test_missing_parts(void **state)
{
	struct file file;

	(void)state;
	load(&file, "{\"domains\": {\"gpu\": false, \"rocm\": [], \"parallel\": \"none\"},"
		    "\"tracing\": {\"legacy\": true, \"buffer_size_kb\": 0},"
		    "\"causal\": {\"mode\": \"function\"}}");
	assert_int_equal(file.status, KYMO_OK);
	assert_int_equal(file.preset.missing_count, 2);
	assert_string_equal(file.preset.missing[0],
			    "tracing.legacy = true needs traces written by the program itself");
	assert_string_equal(file.preset.missing[1],
			    "causal.mode = function needs causal profiling");
	release(&file);
}

static void test_wrong_files(void **state)
{
	static const char *const cases[][2] = {
		{"", "1: expected '{'"},
		{"text", "1: expected '{'"},
		{"{}x", "1: text after the closing '}'"},
		{"{\"tracing\": {\"enabled\": true}", "1: expected ',' or '}'"},
		{"{\n\"tracing\": {\"enabeld\": true}}",
		 "2: unknown key of a preset, 'tracing.enabeld'; did you mean "
		 "'tracing.enabled'?"},
		{"{\"tracing\": true}", "1: unknown key of a preset, 'tracing'"},
		{"{\"tracing\": {\"enabled\": \"maybe\"}}",
		 "1: KYMO_TRACE cannot be 'maybe' (configuration file): give ON or OFF"},
		{"{\"settings\": {\"KYMO_TRAEC\": true}}",
		 "1: unknown setting 'KYMO_TRAEC' (configuration file); did you mean KYMO_TRACE?"},
		{"{\"settings\": {\"ROCPROFSYS_USE_SHMEM\": true}}",
		 "1: ROCPROFSYS_USE_SHMEM has no effect here"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char expected[256];
		struct file file;

		load(&file, cases[i][0]);
		snprintf(expected, sizeof(expected), "%s:%s", file.path, cases[i][1]);
		assert_string_equal(file.problem.text, expected);
		assert_int_equal(file.status, KYMO_USAGE);
		release(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_are_settings),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_missing_parts),
		cmocka_unit_test(test_wrong_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
