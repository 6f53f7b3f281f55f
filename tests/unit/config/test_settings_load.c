/* Where settings come from: the environment, files, and the order of both. */
#include "config/settings.h"

#include "config/settings_load.h"
#include "settings_fixture.h"

static void test_order_of_sources(void **state)
{
	const char *environment[] = {"KYMO_CONFIG_FILE=a.cfg:b.cfg", "KYMO_MAX_WIDTH=2",
				     "KYMO_WIDTH=2", NULL};
	const char *overrides[] = {"KYMO_MAX_WIDTH=3", NULL};

	(void)state;
	write_file("a.cfg", "MAX_WIDTH = 1\nWIDTH = 1\nPRECISION = 1\nMAX_DEPTH = 1\n");
	write_file("b.cfg", "kymo_precision = 4\n");
	assert_int_equal(load(environment, overrides), KYMO_OK);
	assert_int_equal(settings_integer(settings, SET_MAX_WIDTH), 3);
	assert_int_equal(settings_integer(settings, SET_WIDTH), 2);
	assert_int_equal(settings_integer(settings, SET_PRECISION), 4);
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 1);
	assert_int_equal(settings_source(settings, SET_MAX_WIDTH), SETTING_FROM_COMMAND);
	assert_int_equal(settings_source(settings, SET_WIDTH), SETTING_FROM_ENVIRONMENT);
	assert_int_equal(settings_source(settings, SET_PRECISION), SETTING_FROM_FILE);
	assert_int_equal(settings_source(settings, SET_TRACE), SETTING_FROM_DEFAULT);
}

static void test_aliases_in_the_environment(void **state)
{
	const char *environment[] = {"KYMO_TRACE=ON",	      "ROCPROFSYS_TRACE=OFF",
				     "ROCPROFSYS_PROFILE=1",  "OMNITRACE_PROFILE=0",
				     "OMNITRACE_MAX_DEPTH=5", "KYMO_QUIET=ON",
				     "KYMO_USE_TIMEMORY=ON",  NULL};

	(void)state;
	assert_int_equal(load(environment, NULL), KYMO_OK);
	assert_true(settings_bool(settings, SET_TRACE));
	assert_true(settings_bool(settings, SET_PROFILE));
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 5);
	assert_int_equal(settings_warning_count(settings), 0);
}

static void test_current_names_beat_old_ones(void **state)
{
	const char *environment[] = {"KYMO_TRACE=ON", "KYMO_USE_PERFETTO=OFF", NULL};

	(void)state;
	assert_int_equal(load(environment, NULL), KYMO_OK);
	assert_true(settings_bool(settings, SET_TRACE));
}

static void test_environment_only_warns(void **state)
{
	const char *environment[] = {"KYMO_TRAEC=ON",
				     "KYMO_TRACE=maybe",
				     "KYMO_BUILD=x",
				     "KYMO_MAX_DEPTH=7",
				     "ROCPROFSYS_NEWS=1",
				     "KYMO",
				     NULL};

	(void)state;
	assert_int_equal(load(environment, NULL), KYMO_OK);
	assert_int_equal(settings_warning_count(settings), 2);
	assert_string_equal(settings_warning(settings, 0),
			    "unknown setting 'KYMO_TRAEC' (environment); did you mean KYMO_TRACE?");
	assert_string_equal(settings_warning(settings, 1),
			    "KYMO_TRACE cannot be 'maybe' (environment): give ON or OFF");
	assert_false(settings_bool(settings, SET_TRACE));
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 7);
}

static void test_overrides_fail(void **state)
{
	const char *unknown[] = {"TRAEC=ON", NULL}, *wrong[] = {"TRACE=maybe", NULL};
	const char *bare[] = {"TRACE", NULL};

	(void)state;
	assert_int_equal(load(NULL, unknown), KYMO_USAGE);
	assert_string_equal(problem.text,
			    "unknown setting 'TRAEC' (command line); did you mean KYMO_TRACE?");
	assert_int_equal(load(NULL, wrong), KYMO_USAGE);
	assert_int_equal(load(NULL, bare), KYMO_USAGE);
	assert_string_equal(problem.text, "expected NAME=VALUE in place of 'TRACE'");
}

static void test_parsing_can_be_suppressed(void **state)
{
	const char *environment[] = {"KYMO_MAX_DEPTH=9", "KYMO_SUPPRESS_PARSING=ON",
				     "KYMO_CONFIG_FILE=nowhere", NULL};
	const char *no_files[] = {"KYMO_MAX_DEPTH=9", "KYMO_SUPPRESS_CONFIG=ON",
				  "KYMO_CONFIG_FILE=nowhere", NULL};

	(void)state;
	assert_int_equal(load(no_files, NULL), KYMO_OK);
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 9);
	settings_free(settings);
	settings = settings_new();
	assert_int_equal(load(environment, NULL), KYMO_OK);
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 65535);
}

static void test_default_files(void **state)
{
	char home[128];
	const char *environment[] = {home, NULL};

	(void)state;
	snprintf(home, sizeof(home), "HOME=%s", folder);
	assert_int_equal(load(environment, NULL), KYMO_OK);
	write_file(".kymo.cfg", "MAX_DEPTH = 3\nWIDTH = 3\n");
	write_file(".kymo.json", "{\"KYMO_WIDTH\": 4}");
	assert_int_equal(load(environment, NULL), KYMO_OK);
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 3);
	assert_int_equal(settings_integer(settings, SET_WIDTH), 4);
}

static void test_missing_files(void **state)
{
	const char *strict[] = {"KYMO_CONFIG_FILE=no.cfg", NULL};
	const char *lenient[] = {"KYMO_CONFIG_FILE=no.cfg", "KYMO_STRICT_CONFIG=OFF", NULL};
	const char *directory[] = {"KYMO_CONFIG_FILE=.", NULL};

	(void)state;
	assert_int_equal(load(strict, NULL), KYMO_SYSTEM);
	assert_string_equal(problem.text,
			    "cannot read configuration file 'no.cfg': No such file or "
			    "directory");
	assert_int_equal(load(directory, NULL), KYMO_SYSTEM);
	assert_string_equal(problem.text, "cannot read configuration file '.': Is a directory");
	assert_int_equal(load(lenient, NULL), KYMO_OK);
	assert_int_equal(settings_warning_count(settings), 1);
}

static void test_problems_have_file_and_line(void **state)
{
	(void)state;
	write_file("a.cfg", "TRACE = ON\n\nKYMO_TRAEC = ON\n");
	assert_int_equal(settings_load_file(settings, "a.cfg", &problem), KYMO_USAGE);
	assert_string_equal(problem.text,
			    "unknown setting 'KYMO_TRAEC' (a.cfg:3); did you mean KYMO_TRACE?");
	write_file("b.cfg", "# x\nTRACE = perhaps\n");
	assert_int_equal(settings_load_file(settings, "b.cfg", &problem), KYMO_USAGE);
	assert_string_equal(problem.text,
			    "KYMO_TRACE cannot be 'perhaps' (b.cfg:2): give ON or OFF");
	write_file("c.json", "{\n\"TRACE\": ON}");
	assert_int_equal(settings_load_file(settings, "c.json", &problem), KYMO_FORMAT);
	assert_string_equal(problem.text,
			    "c.json:2: expected a value: a string in double quotes, a "
			    "number, true or false");
}

static void test_lenient_files(void **state)
{
	const char *environment[] = {"KYMO_CONFIG_FILE=a.cfg", NULL};

	(void)state;
	write_file("a.cfg", "KYMO_STRICT_CONFIG = OFF\nTRAEC = ON\nwhat\nCLOCK = sun\n"
			    "MAX_DEPTH = 8\n");
	assert_int_equal(load(environment, NULL), KYMO_OK);
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 8);
	assert_int_equal(settings_warning_count(settings), 3);
	assert_string_equal(settings_warning(settings, 1), "a.cfg:3: expected 'NAME = value'");
}

static void test_includes(void **state)
{
	(void)state;
	assert_int_equal(mkdir("sub", 0700), 0);
	write_file("a.cfg", "WIDTH = 1\nCONFIG_FILE = sub/b.cfg\nPRECISION = 1\n");
	write_file("sub/b.cfg", "WIDTH = 2\nPRECISION = 2\nKYMO_CONFIG_FILE = c.cfg\n");
	write_file("sub/c.cfg", "MAX_DEPTH = 2\n");
	assert_int_equal(settings_load_file(settings, "a.cfg", &problem), KYMO_OK);
	assert_int_equal(settings_integer(settings, SET_WIDTH), 2);
	assert_int_equal(settings_integer(settings, SET_PRECISION), 1);
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 2);
	assert_string_equal(settings_text(settings, SET_CONFIG_FILE), "");
}

static void test_bad_includes(void **state)
{
	(void)state;
	write_file("a.cfg", "\nCONFIG_FILE = b.cfg\n");
	write_file("b.cfg", "CONFIG_FILE = ./a.cfg\n");
	assert_int_equal(settings_load_file(settings, "a.cfg", &problem), KYMO_FORMAT);
	assert_string_equal(problem.text, "cannot read configuration file './a.cfg' (b.cfg:1): it "
					  "includes itself");
	write_file("c.cfg", "CONFIG_FILE = no.cfg\n");
	assert_int_equal(settings_load_file(settings, "c.cfg", &problem), KYMO_SYSTEM);
	assert_string_equal(problem.text, "cannot read configuration file 'no.cfg' (c.cfg:1): No "
					  "such file or directory");
	/* A file made by the other tool lists its own defaults, which need not exist. */
	write_file("d.cfg", "ROCPROFSYS_CONFIG_FILE = no.cfg\n");
	assert_int_equal(settings_load_file(settings, "d.cfg", &problem), KYMO_OK);
}

static void test_include_depth(void **state)
{
	char name[16], text[64];

	(void)state;
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "%d.cfg", i);
		snprintf(text, sizeof(text), "CONFIG_FILE = %d.cfg\n", i + 1);
		write_file(name, text);
	}
	assert_int_equal(settings_load_file(settings, "0.cfg", &problem), KYMO_FORMAT);
	assert_non_null(strstr(problem.text, "files include each other too deeply"));
}

static void test_references_in_files(void **state)
{
	const char *environment[] = {"KYMO_CONFIG_FILE=a.cfg", "BASE=/data", "KYMO_TIME_FORMAT=%Y",
				     NULL};

	(void)state;
	write_file("a.cfg", "$dir = $env:BASE/out\nOUTPUT_PATH = $dir/${KYMO_TIME_FORMAT}\n"
			    "OUTPUT_PREFIX = ${OUTPUT_PATH}/%env{BASE}%\n");
	assert_int_equal(load(environment, NULL), KYMO_OK);
	assert_string_equal(settings_text(settings, SET_OUTPUT_PATH), "/data/out/%Y");
	assert_string_equal(settings_text(settings, SET_OUTPUT_PREFIX), "/data/out/%Y/%env{BASE}%");
}

static void test_large_files_are_refused(void **state)
{
	(void)state;
	write_file("a.cfg", "");
	assert_int_equal(truncate("a.cfg", 2 * 1024 * 1024), 0);
	assert_int_equal(settings_load_file(settings, "a.cfg", &problem), KYMO_SYSTEM);
	assert_string_equal(problem.text,
			    "cannot read configuration file 'a.cfg': it is larger than 1 MB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_order_of_sources),
		CASE(test_aliases_in_the_environment),
		CASE(test_current_names_beat_old_ones),
		CASE(test_environment_only_warns),
		CASE(test_overrides_fail),
		CASE(test_parsing_can_be_suppressed),
		CASE(test_default_files),
		CASE(test_missing_files),
		CASE(test_problems_have_file_and_line),
		CASE(test_lenient_files),
		CASE(test_includes),
		CASE(test_bad_includes),
		CASE(test_include_depth),
		CASE(test_references_in_files),
		CASE(test_large_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
