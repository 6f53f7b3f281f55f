/* Keys in output names. */
#include "config/outputname.h"

#include "outputname_fixture.h"

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
