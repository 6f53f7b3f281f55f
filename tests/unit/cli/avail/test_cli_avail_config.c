/* Configuration files made of settings, in every form. */
#include "cli/avail/avail_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cli/avail/avail_sources.h"
#include "cli/folder_fixture.h"
#include "config/settings_load.h"

static struct settings *settings;
static struct avail_list list;

static int set_up(void **state)
{
	settings = settings_new();
	if (!settings ||
	    settings_set(settings, "TRACE", "ON", SETTING_FROM_COMMAND, NULL) != KYMO_OK ||
	    settings_set(settings, "OUTPUT_PATH", "a <b> & c", SETTING_FROM_COMMAND, NULL) !=
		    KYMO_OK)
		return -1;
	avail_settings(&list, settings, true);
	return folder_set_up(state);
}

static int tear_down(void **state)
{
	avail_list_release(&list);
	settings_free(settings);
	return folder_tear_down(state);
}

static struct avail_config config_at(const char *path)
{
	return (struct avail_config){.settings = settings, .list = &list, .path = path};
}

static struct problem problem;

static enum kymo_status write_as(const struct avail_config *config, const char *format)
{
	const struct option_words formats = {.items = {format}, .count = format != NULL};

	problem.text[0] = '\0';
	return avail_config_write(config, &formats, &problem);
}

/* Reading it back gives the settings it was made from. */
static void test_it_leads_back(void **state)
{
	static const char *const paths[] = {"a.cfg", "a.json"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct avail_config config = config_at(paths[i]);
		struct settings *read = settings_new();

		config.has_details = i == 0;
		assert_int_equal(write_as(&config, NULL), KYMO_OK);
		assert_int_equal(settings_load_file(read, paths[i], &problem), KYMO_OK);
		assert_string_equal(settings_text(read, SET_OUTPUT_PATH), "a <b> & c");
		assert_true(settings_bool(read, SET_TRACE));
		settings_free(read);
	}
}

static void assert_has(const char *path, const char *part, bool is_there)
{
	char *text = folder_get(path);

	if ((strstr(text, part) != NULL) != is_there)
		fail_msg("'%s' is %s in\n%s", part, is_there ? "not" : "", text);
	free(text);
}

/* The form is that of the extension; texts are as the form has them. */
static void test_forms(void **state)
{
	struct avail_config config = config_at("a.xml");

	(void)state;
	config.tag = "mine";
	assert_int_equal(write_as(&config, NULL), KYMO_OK);
	assert_has("a.xml", "<?xml", true);
	assert_has("a.xml", " [mine] -->", true);
	assert_has("a.xml", "<KYMO_OUTPUT_PATH><value>a &lt;b&gt; &amp; c</value>", true);
	config.path = "a.json";
	assert_int_equal(write_as(&config, NULL), KYMO_OK);
	assert_has("a.json", "\"value\":true", true);
	assert_has("a.json", "\"description\"", false);
	config.path = "a.other";
	assert_int_equal(write_as(&config, NULL), KYMO_OK);
	assert_has("a.other", "\nKYMO_TRACE                                = ON\n", true);
	assert_has("a.other", "# categories", false);
}

/* What says where settings come from would have an effect of its own. */
static void test_what_is_not_written(void **state)
{
	const struct avail_config config = config_at("a.cfg");

	(void)state;
	assert_int_equal(write_as(&config, NULL), KYMO_OK);
	assert_has("a.cfg", "KYMO_CONFIG_FILE", false);
	assert_has("a.cfg", "KYMO_RUN_DIR", false);
}

/* Several: one file each, with their own extensions. */
static void test_several_forms(void **state)
{
	struct avail_config config = config_at("a.txt");

	(void)state;
	assert_int_equal(write_as(&config, "txt,json xml"), KYMO_OK);
	assert_has("a.cfg", "KYMO_TRACE ", true);
	assert_has("a.json", "\"KYMO_TRACE\"", true);
	assert_has("a.xml", "<KYMO_TRACE>", true);
	assert_int_equal(access("a.txt", F_OK), -1);
	config.path = "b.json"; /* one form alone: the path as it was given */
	assert_int_equal(write_as(&config, "xml"), KYMO_OK);
	assert_has("b.json", "<KYMO_TRACE>", true);
	assert_int_equal(write_as(&config, "yaml"), KYMO_USAGE);
	assert_string_equal(problem.text, "--config-format takes txt, json or xml, not 'yaml'");
}

static void test_files_are_not_overwritten(void **state)
{
	struct avail_config config = config_at("a.cfg");

	(void)state;
	folder_put_text("a.cfg", "mine");
	assert_int_equal(write_as(&config, NULL), KYMO_ERROR);
	assert_string_equal(problem.text, "'a.cfg' exists and is not overwritten without --force");
	assert_has("a.cfg", "mine", true);
	config.is_forced = true;
	assert_int_equal(write_as(&config, NULL), KYMO_OK);
	assert_has("a.cfg", "KYMO_TRACE", true);
}

#define WITH_SETTINGS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETTINGS(test_it_leads_back),
		WITH_SETTINGS(test_forms),
		WITH_SETTINGS(test_what_is_not_written),
		WITH_SETTINGS(test_several_forms),
		WITH_SETTINGS(test_files_are_not_overwritten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
