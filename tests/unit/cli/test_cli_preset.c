/* Presets: what a file sets, what is wrong with it, and the way back from the settings. */
#include "base/text/listitem.h"
#include "cli/options/preset.h"
#include "cli/options/preset_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALUE_SIZE 64

struct file {
	char path[64];
	struct settings *settings;
	struct preset preset;
	struct problem problem;
	enum kymo_status status;
};

static void write_text(struct file *file, const char *text)
{
	int fd;

	snprintf(file->path, sizeof(file->path), "/tmp/kymo-preset-XXXXXX.json");
	fd = mkstemps(file->path, 5);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void load(struct file *file, const char *text)
{
	write_text(file, text);
	file->settings = settings_new();
	file->problem.text[0] = '\0';
	file->status = preset_load(file->settings, file->path, &file->preset, &file->problem);
}

static void release(struct file *file)
{
	unlink(file->path);
	preset_release(&file->preset);
	settings_free(file->settings);
}

static void test_keys_are_settings(void **state)
{
	(void)state;
	for (size_t i = 0; i < preset_key_count; i++) {
		const struct preset_key *key = &preset_key_table[i];

		assert_true((key->setting[0] == '\0') == (key->needs != NULL));
		if (key->setting[0] && settings_find(key->setting) < 0)
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
		{"{}x", "1: text behind the closing '}'"},
		{"{\"tracing\": {\"enabled\": true}", "1: expected ',' or '}'"},
		{"{\n\"tracing\": {\"enabeld\": true}}",
		 "2: unknown part of a preset, 'tracing.enabeld'; did you mean "
		 "'tracing.enabled'?"},
		{"{\"tracing\": true}", "1: unknown part of a preset, 'tracing'"},
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

/* A value that is not the default and not easy to write. */
static void sample(enum setting_id id, char *value)
{
	const struct setting_row *row = &setting_table[id];
	const char *rest = row->choices, *item;
	size_t length;

	if (row->type == SETTING_BOOL) {
		snprintf(value, VALUE_SIZE, "%s", strcmp(row->default_text, "ON") ? "ON" : "OFF");
	} else if (row->type == SETTING_INTEGER || row->type == SETTING_NUMBER) {
		snprintf(value, VALUE_SIZE, "%s", strcmp(row->default_text, "3") ? "3" : "4");
	} else if (row->choices[0] == '\0') {
		snprintf(value, VALUE_SIZE, "a \"b\\\" 'c',d\xc3\xa9\t%%tag%%");
	} else {
		while (listitem_next(&rest, &item, &length))
			snprintf(value, VALUE_SIZE, "%.*s", (int)length, item);
	}
}

static bool is_kept(int id)
{
	return strstr(setting_table[id].categories, "internal") == NULL &&
	       strncmp(setting_table[id].categories, "config", 6) != 0;
}

static void test_export_leads_back(void **state)
{
	struct settings *settings = settings_new();
	char value[VALUE_SIZE], *text = NULL;
	struct problem problem;
	struct file file;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (int id = 0; id < SETTING_COUNT; id++) {
		if (!is_kept(id))
			continue;
		sample((enum setting_id)id, value);
		if (settings_set(settings, setting_table[id].name, value, SETTING_FROM_COMMAND,
				 &problem) != KYMO_OK)
			fail_msg("%s", problem.text);
	}
	preset_export(settings, out);
	fclose(out);
	load(&file, text);
	if (file.status != KYMO_OK)
		fail_msg("%s\n%s", file.problem.text, text);
	for (int id = 0; id < SETTING_COUNT; id++) {
		if (!is_kept(id))
			continue;
		assert_non_null(file.preset.values[id]);
		assert_string_equal(file.preset.values[id],
				    settings_text(settings, (enum setting_id)id));
	}
	assert_int_equal(file.preset.missing_count, 0);
	release(&file);
	free(text);
	settings_free(settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_are_settings), cmocka_unit_test(test_values),
		cmocka_unit_test(test_missing_parts),	  cmocka_unit_test(test_wrong_files),
		cmocka_unit_test(test_export_leads_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
