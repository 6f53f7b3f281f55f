/* Keys in output names and the path rule. */
#include "config/outputname.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const arguments[] = {"/usr/bin/foo", "-n", "./data/in.txt", NULL};
static const char *const environment[] = {"HOME=/home/me", "EMPTY=", NULL};
static const char *const ranked[] = {"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8",
				     "SLURM_JOB_ID=77", NULL};
static struct settings *settings;
static struct output_context context;

static void use_environment(const char *const *variables)
{
	context.environment = (char *const *)variables;
}

static int set_up(void **state)
{
	(void)state;
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	tzset();
	settings = settings_new();
	context = (struct output_context){.argv = arguments,
					  .pid = getpid(),
					  .parent_pid = getppid(),
					  .launch_time = 1643632200, /* 2022-01-31 12:30 UTC */
					  .settings = settings};
	use_environment(environment);
	return settings != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	settings_free(settings);
	return 0;
}

static void assert_text(char *text, const char *expected)
{
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void assert_expands(const char *text, const char *expected)
{
	assert_text(output_expand(&context, text), expected);
}

static void assert_number(const char *text, long number)
{
	char expected[32];

	snprintf(expected, sizeof(expected), "%ld", number);
	assert_expands(text, expected);
}

static void set(const char *name, const char *value)
{
	assert_int_equal(settings_set(settings, name, value, SETTING_FROM_COMMAND, NULL), KYMO_OK);
}

static void test_command_line_keys(void **state)
{
	(void)state;
	assert_expands("%argv%", "usr_bin_foo_-n_data_in.txt");
	assert_expands("%argt%", "foo_-n_data_in.txt");
	assert_expands("%args%", "-n_data_in.txt");
	assert_expands("%tag%", "foo");
	assert_expands("%arg0%", "usr_bin_foo");
	assert_expands("<%arg2%>", "<data_in.txt>");
	assert_expands("<%arg9%>", "<>");
}

static void test_hashes(void **state)
{
	(void)state;
	assert_expands("%tag_hash%", "acbd18db4cc2f85cedef654fccc4a4d8");
	assert_expands("%arg1_hash%", "9cefd96d40d0ee1256c8eff1def0312d");
	assert_expands("%m", "6c386a5289697d2fa8662b1769457ea6");
	assert_expands("%argt_hash%", "6c386a5289697d2fa8662b1769457ea6");
	assert_expands("<%arg9_hash%>", "<>");
	assert_expands("%pid_hash%", "%pid_hash%");
}

static void test_process_keys(void **state)
{
	char *text;

	(void)state;
	assert_number("%pid%", (long)getpid());
	assert_number("%p", (long)getpid());
	assert_number("%ppid%", (long)getppid());
	assert_number("%pgid%", (long)getpgrp());
	assert_number("%psid%", (long)getsid(0));
	text = output_expand(&context, "%psize%");
	assert_true(atoi(text) >= 1);
	free(text);
}

static void test_parallel_keys(void **state)
{
	const char *step[] = {"SLURM_PROCID=2", "SLURM_STEP_NUM_TASKS=4", NULL};
	const char *batch[] = {"SLURM_PROCID=0", NULL};

	(void)state;
	assert_expands("%job%.%rank%.%size%", "0.0.1");
	assert_number("%nid%", (long)getpid());
	use_environment(ranked);
	assert_expands("%job%.%rank%.%size%.%nid%", "77.3.8.3");
	assert_expands("%j.%r.%s", "77.3.8");
	use_environment(step);
	assert_expands("%rank%.%size%.%nid%", "2.4.2");
	use_environment(batch);
	assert_expands("%rank%", "0");
	assert_number("%nid%", (long)getpid());
}

static void test_braced_keys(void **state)
{
	(void)state;
	assert_expands("%env{HOME}%/x $env{HOME}/y", "/home/me/x /home/me/y");
	assert_expands("<%env{EMPTY}%$env{NOTHING}>", "<>");
	assert_expands("%cfg{KYMO_TIME_FORMAT}% $cfg{max_depth}", "%F_%H.%M 65535");
	assert_expands("<$cfg{FOOBAR}>", "<>");
	assert_expands("%env{HOME}", "%env{HOME}");
	assert_expands("%env{HOME", "%env{HOME");
	assert_expands("$env:HOME", "$env:HOME");
}

static void test_unknown_keys_stay(void **state)
{
	(void)state;
	assert_expands("%foo% 100% %% %", "%foo% 100% %% %");
	assert_expands("%prefix%", "%prefix%");
	assert_expands("%arg%", "%arg%");
	assert_expands("%argx%", "%argx%");
	assert_expands("", "");
}

static void test_every_listed_key_expands(void **state)
{
	char key[64], *text;

	(void)state;
	use_environment(ranked);
	for (size_t i = 0; i < output_key_count; i++) {
		for (int is_short = 0; is_short < 2; is_short++) {
			const char *listed =
				is_short ? output_key_table[i].short_key : output_key_table[i].key;
			char *number;

			if (listed[0] == '\0')
				continue;
			snprintf(key, sizeof(key), "%s", listed);
			number = strstr(key, "argN");
			if (number != NULL)
				number[3] = '1';
			text = output_expand(&context, key);
			assert_non_null(text);
			assert_null(strchr(text, '%'));
			assert_null(strchr(text, '$'));
			free(text);
		}
	}
}

static void test_long_values_are_cut(void **state)
{
	char program[600];
	const char *const long_arguments[] = {program, NULL};
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof(program) - 1; i++)
		program[i] = i % 2 == 0 ? '\xc3' : '\xa4';
	program[sizeof(program) - 2] = '\0';
	context.argv = long_arguments;
	text = output_expand(&context, "%tag%");
	assert_int_equal(strlen(text), 200);
	free(text);
	memmove(program + 1, program, sizeof(program) - 2);
	program[0] = 'x';
	text = output_expand(&context, "%tag%");
	assert_int_equal(strlen(text), 199); /* not half a character */
	free(text);
}

static void test_missing_command_line(void **state)
{
	static const char *const none[] = {NULL};

	(void)state;
	context.argv = NULL;
	assert_expands("%tag%<%args%%arg1%>%argv%", "unknown<>unknown");
	context.argv = none;
	assert_expands("%tag%<%args%%arg1%>%argv%", "unknown<>unknown");
}

static void test_directory(void **state)
{
	(void)state;
	assert_text(output_directory(&context), "kymo-foo-output/2022-01-31_12.30");
	set("TIME_OUTPUT", "OFF");
	assert_text(output_directory(&context), "kymo-foo-output");
	set("OUTPUT_PATH", "~/out//");
	assert_text(output_directory(&context), "/home/me/out");
	set("OUTPUT_PATH", "");
	assert_text(output_directory(&context), ".");
	set("OUTPUT_PATH", "/");
	set("TIME_OUTPUT", "ON");
	set("TIME_FORMAT", "%Y/%m");
	assert_text(output_directory(&context), "/2022_01");
	set("TIME_FORMAT", "");
	assert_text(output_directory(&context), "/1643632200");
}

static void test_file(void **state)
{
	(void)state;
	assert_text(output_file(&context, "run", "wall_clock", "txt"), "run/wall_clock.txt");
	assert_text(output_file(&context, "run", "perfetto-trace.proto", NULL),
		    "run/perfetto-trace.proto");
	set("OUTPUT_PREFIX", "%tag%/");
	assert_text(output_file(&context, "run", "wall_clock", "txt"), "run/foo/wall_clock.txt");
	set("OUTPUT_PREFIX", "%tag%-");
	context.pid = 42;
	set("USE_PID", "ON");
	assert_text(output_file(&context, "run", "wall_clock", "txt"), "run/foo-wall_clock-42.txt");
	assert_text(output_file(&context, "run", "trace.proto", ""), "run/foo-trace-42.proto");
	assert_text(output_file(&context, "run", "%tag%.x", ""), "run/foo-foo-42.x");
	assert_text(output_file(&context, "run", "/abs/trace.proto", ""), "/abs/trace.proto");
	use_environment(ranked);
	assert_text(output_file(&context, "run", "wall_clock", "txt"), "run/foo-wall_clock-3.txt");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_command_line_keys),
		CASE(test_hashes),
		CASE(test_process_keys),
		CASE(test_parallel_keys),
		CASE(test_braced_keys),
		CASE(test_unknown_keys_stay),
		CASE(test_every_listed_key_expands),
		CASE(test_long_values_are_cut),
		CASE(test_missing_command_line),
		CASE(test_directory),
		CASE(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
