/* The presets that there are, what one says, and the way back from the settings. */
#include "cli/presets/preset_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/listitem.h"
#include "cli/folder_fixture.h"
#include "preset_fixture.h"

#define VALUE_SIZE 64

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

/* Settings that look for presets in these folders. */
static struct settings *settings_in(const char *folders)
{
	struct settings *settings = settings_new();

	assert_non_null(settings);
	assert_int_equal(settings_set(settings, "PRESET_DIR", folders, SETTING_FROM_COMMAND, NULL),
			 KYMO_OK);
	return settings;
}

static void put_presets(void)
{
	assert_int_equal(mkdir("a", 0755), 0);
	assert_int_equal(mkdir("b", 0755), 0);
	folder_put_text("a/zz-mine.json", "{\"metadata\": {\"description\": \"The first\"},"
					  "\"settings\": {\"TRACE\": true}}");
	folder_put_text("b/zz-mine.json", "{\"metadata\": {\"description\": \"The second\"}}");
	folder_put_text("b/zz-other.json", "wrong");
	folder_put_text("b/.json", "{}");
	folder_put_text("b/readme.txt", "{}");
}

static size_t place_of(const struct preset_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->names[i], name) == 0)
			return i;
	return SIZE_MAX;
}

/* The folder that is named first has the preset of a name. */
static void test_search(void **state)
{
	struct settings *settings = settings_in("nowhere::a:b:");
	struct preset_names names;

	(void)state;
	put_presets();
	assert_int_equal(preset_search(settings, &names, NULL), KYMO_OK);
	assert_true(names.count >= 2 && names.count == names.path_count);
	assert_int_equal(place_of(&names, "zz-mine"), 0);
	assert_string_equal(names.paths[0], "a/zz-mine.json");
	assert_int_equal(place_of(&names, "zz-other"), 1);
	assert_int_equal(place_of(&names, "readme"), SIZE_MAX);
	assert_int_equal(place_of(&names, ""), SIZE_MAX);
	preset_names_release(&names);
	assert_int_equal(names.count, 0);
	settings_free(settings);
}

/* One that cannot be read has its reason in place of a description. */
static void test_list(void **state)
{
	struct settings *settings = settings_in("a:b");
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	put_presets();
	assert_int_equal(preset_list(settings, out, NULL), KYMO_OK);
	fclose(out);
	assert_memory_equal(text, "zz-mine ", 8);
	assert_non_null(strstr(text, "  The first\n"));
	assert_null(strstr(text, "The second"));
	assert_non_null(strstr(text, "  (b/zz-other.json:1: expected '{')\n"));
	free(text);
	settings_free(settings);
}

static void test_explain(void **state)
{
	struct file file;
	char *text = NULL, expected[512];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	load(&file, "{\"metadata\": {\"description\": \"About x\"},"
		    "\"tracing\": {\"enabled\": true, \"legacy\": true}}");
	assert_int_equal(file.status, KYMO_OK);
	preset_explain(&file.preset, out);
	fclose(out);
	snprintf(expected, sizeof(expected),
		 "%s: About x\n  KYMO_TRACE=ON\nignored, not in this build:\n"
		 "  tracing.legacy = true needs traces written by the program itself\n",
		 file.path);
	assert_string_equal(text, expected);
	free(text);
	release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_export_leads_back),
		cmocka_unit_test_setup_teardown(test_search, folder_set_up, folder_tear_down),
		cmocka_unit_test_setup_teardown(test_list, folder_set_up, folder_tear_down),
		cmocka_unit_test(test_explain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
