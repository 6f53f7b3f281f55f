/* The settings: types, sources and their order, names, files. */
#include "config/settings.h"

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

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/kymo-settings-XXXXXX");
	settings = settings_new();
	problem.text[0] = '\0';
	return settings != NULL && mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	settings_free(settings);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	assert_int_equal(fclose(file), 0);
}

static void assert_set(const char *name, const char *value, enum setting_id id,
		       const char *expected)
{
	assert_int_equal(settings_set(settings, name, value, SETTING_FROM_COMMAND, &problem),
			 KYMO_OK);
	assert_string_equal(settings_text(settings, id), expected);
}

static void assert_refused(const char *name, const char *value, const char *expected)
{
	assert_int_equal(settings_set(settings, name, value, SETTING_FROM_COMMAND, &problem),
			 KYMO_USAGE);
	assert_string_equal(problem.text, expected);
}

static enum kymo_status load(const char *const *environment, const char *const *overrides)
{
	return settings_load(settings, (char *const *)environment, overrides, &problem);
}

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

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(settings_find("TRACE"), SET_TRACE);
	assert_int_equal(settings_find("KYMO_TRACE"), SET_TRACE);
	assert_int_equal(settings_find("kymo_trace"), SET_TRACE);
	assert_int_equal(settings_find("output-path"), SET_OUTPUT_PATH);
	assert_int_equal(settings_find("ROCPROFSYS_TRACE"), SET_TRACE);
	assert_int_equal(settings_find("OMNITRACE_USE_PERFETTO"), SET_TRACE);
	assert_int_equal(settings_find("USE_TIMEMORY"), SET_PROFILE);
	assert_int_equal(settings_find("OUTPUT_FILE"), SET_PERFETTO_FILE);
	assert_int_equal(settings_find("KYMO_"), -1);
	assert_int_equal(settings_find(""), -1);
	assert_int_equal(settings_find("TRACE_"), -1);
}

static void test_suggest(void **state)
{
	(void)state;
	assert_string_equal(settings_nearest("KYMO_TRAEC"), "TRACE");
	assert_string_equal(settings_nearest("outputpath"), "OUTPUT_PATH");
	assert_null(settings_nearest("FOOBAR"));
}

static void test_unknown_names_are_told(void **state)
{
	(void)state;
	assert_refused("KYMO_TRAEC", "ON",
		       "unknown setting 'KYMO_TRAEC' (command line); did you mean KYMO_TRACE?");
	assert_refused("FOOBAR", "ON",
		       "unknown setting 'FOOBAR' (command line); 'kymo avail' lists the settings");
	assert_refused("KYMO_SAMPLING_GPUS", "1",
		       "unknown setting 'KYMO_SAMPLING_GPUS' (command line); did you mean "
		       "KYMO_SAMPLING_CPUS?");
}

static void test_booleans(void **state)
{
	static const char *const on[] = {"ON", "on", "Yes", "TRUE", "t", "Y", "1", " on "};
	static const char *const off[] = {"OFF", "off", "No", "FALSE", "f", "N", "0"};

	(void)state;
	for (size_t i = 0; i < sizeof(on) / sizeof(*on); i++) {
		assert_set("TRACE", on[i], SET_TRACE, "ON");
		assert_true(settings_bool(settings, SET_TRACE));
	}
	for (size_t i = 0; i < sizeof(off) / sizeof(*off); i++) {
		assert_set("TRACE", off[i], SET_TRACE, "OFF");
		assert_false(settings_bool(settings, SET_TRACE));
	}
	assert_refused("TRACE", "maybe",
		       "KYMO_TRACE cannot be 'maybe' (command line): give ON or OFF");
	assert_false(settings_bool(settings, SET_TRACE));
}

static void test_integers(void **state)
{
	(void)state;
	assert_set("MAX_DEPTH", " 12 ", SET_MAX_DEPTH, "12");
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 12);
	assert_set("PRECISION", "-1", SET_PRECISION, "-1");
	assert_true(settings_number(settings, SET_PRECISION) == -1.0);
	assert_refused("MAX_DEPTH", "0",
		       "KYMO_MAX_DEPTH cannot be '0' (command line): give a whole number from 1 to "
		       "65535");
	assert_refused("MAX_DEPTH", "65536",
		       "KYMO_MAX_DEPTH cannot be '65536' (command line): give a whole number from "
		       "1 to 65535");
	assert_refused("RECORD_LIMIT_MB", "12MB",
		       "KYMO_RECORD_LIMIT_MB cannot be '12MB' (command line): give a whole number "
		       "from 0 up");
	assert_refused("RECORD_LIMIT_MB", "99999999999999999999",
		       "KYMO_RECORD_LIMIT_MB cannot be '99999999999999999999' (command line): give "
		       "a whole number from 0 up");
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 12);
}

static void test_choices(void **state)
{
	(void)state;
	assert_set("PYTHON_INSTRUMENTER", "CPROFILE", SET_PYTHON_INSTRUMENTER, "cProfile");
	assert_refused("CLOCK", "sundial",
		       "KYMO_CLOCK cannot be 'sundial' (command line): give one of "
		       "auto,tsc,monotonic,monotonic_raw");
	assert_set("PYTHON_LABEL", "line  ARGS", SET_PYTHON_LABEL, "line,args");
	assert_refused("PYTHON_LABEL", "args,colour",
		       "KYMO_PYTHON_LABEL cannot be 'args,colour' (command line): 'colour' is none "
		       "of args,file,line");
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

static void test_foreign_settings_have_no_effect(void **state)
{
	const char *quiet[] = {"ROCPROFSYS_USE_CAUSAL=ON", NULL};
	const char *verbose[] = {"OMNITRACE_SAMPLING_GPUS=9", "KYMO_VERBOSE=1",
				 "KYMO_CONFIG_FILE=a.cfg", NULL};

	(void)state;
	assert_int_equal(load(quiet, NULL), KYMO_OK);
	assert_int_equal(settings_warning_count(settings), 0);
	write_file("a.cfg", "ROCPROFSYS_ROCM_EVENTS = X\n");
	assert_int_equal(load(verbose, NULL), KYMO_OK);
	assert_int_equal(settings_warning_count(settings), 2);
	assert_string_equal(settings_warning(settings, 0),
			    "OMNITRACE_SAMPLING_GPUS (environment) has no effect here");
	assert_string_equal(settings_warning(settings, 1),
			    "ROCPROFSYS_ROCM_EVENTS (a.cfg:1) has no effect here");
}

static void assert_loaded(const char *const *environment, enum setting_id id, const char *expected)
{
	settings_free(settings);
	settings = settings_new();
	assert_non_null(settings);
	assert_int_equal(load(environment, NULL), KYMO_OK);
	assert_string_equal(settings_text(settings, id), expected);
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

static void test_events_are_kept_for_a_row_a_call(void **state)
{
	const char *timeline[] = {"OMNITRACE_TIMELINE_PROFILE=ON", "OMNITRACE_TRACE=OFF", NULL};

	(void)state;
	assert_false(settings_keep_events(settings));
	assert_loaded(timeline, SET_TRACE, "OFF");
	assert_true(settings_keep_events(settings));
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

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_defaults_are_valid),
		CASE(test_names_are_unique),
		CASE(test_names),
		CASE(test_suggest),
		CASE(test_unknown_names_are_told),
		CASE(test_booleans),
		CASE(test_integers),
		CASE(test_choices),
		CASE(test_empty_values),
		CASE(test_stronger_sources_stay),
		CASE(test_order_of_sources),
		CASE(test_aliases_in_the_environment),
		CASE(test_defaults_of_other_tools),
		CASE(test_current_names_beat_old_ones),
		CASE(test_environment_only_warns),
		CASE(test_ignored_is_what_the_environment_gave),
		CASE(test_overrides_fail),
		CASE(test_foreign_settings_have_no_effect),
		CASE(test_modes_are_defaults),
		CASE(test_other_tools_record_all_calls_of_locks),
		CASE(test_events_are_kept_for_a_row_a_call),
		CASE(test_parsing_can_be_suppressed),
		CASE(test_debug_is_verbose),
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
