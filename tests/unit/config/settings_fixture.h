/* What the tests of the settings share: settings in a folder of their own, set and loaded. */
#ifndef KYMO_SETTINGS_FIXTURE_H
#define KYMO_SETTINGS_FIXTURE_H

#include "config/settings.h"
#include "config/settings_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static struct settings *settings; /* of the running test */
static struct problem problem;

static inline int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/kymo-settings-XXXXXX");
	settings = settings_new();
	problem.text[0] = '\0';
	return settings != NULL && mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static inline int tear_down(void **state)
{
	char command[128];

	(void)state;
	settings_free(settings);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static inline void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	assert_int_equal(fclose(file), 0);
}

static inline void assert_set(const char *name, const char *value, enum setting_id id,
			      const char *expected)
{
	assert_int_equal(settings_set(settings, name, value, SETTING_FROM_COMMAND, &problem),
			 KYMO_OK);
	assert_string_equal(settings_text(settings, id), expected);
}

static inline void assert_refused(const char *name, const char *value, const char *expected)
{
	assert_int_equal(settings_set(settings, name, value, SETTING_FROM_COMMAND, &problem),
			 KYMO_USAGE);
	assert_string_equal(problem.text, expected);
}

static inline enum kymo_status load(const char *const *environment, const char *const *overrides)
{
	return settings_load(settings, (char *const *)environment, overrides, &problem);
}

static inline void assert_loaded(const char *const *environment, enum setting_id id,
				 const char *expected)
{
	settings_free(settings);
	settings = settings_new();
	assert_non_null(settings);
	assert_int_equal(load(environment, NULL), KYMO_OK);
	assert_string_equal(settings_text(settings, id), expected);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
