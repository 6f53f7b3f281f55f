/* Options of kymo attach: what they ask for, and what does not go together. */
#include "cli/attach/attach_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MAX 12

static struct attach_request request;
static struct problem problem;

/* words: separated by blanks. */
static enum options_result parse(const char *words)
{
	static char copy[256];
	char *argv[WORDS_MAX + 1] = {(char *)"attach"}, *word, *rest;
	int argc = 1;

	problem.text[0] = '\0';
	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	return attach_parse(&request, &argc, argv, &problem);
}

static void assert_parsed(const char *words)
{
	if (parse(words) != OPTIONS_PARSED)
		fail_msg("%s: %s", words, problem.text);
}

static int set_up(void **state)
{
	(void)state;
	return setenv("KYMO_SUPPRESS_CONFIG", "ON", 1) | unsetenv("KYMO_SAMPLING_FREQ");
}

static int tear_down(void **state)
{
	(void)state;
	attach_release(&request);
	return 0;
}

static void test_samples(void **state)
{
	(void)state;
	assert_parsed("77 --rate 250 -d 1.5 --depth 64 --no-idle --quiet");
	assert_int_equal(request.pid, 77);
	assert_true(request.rate == 250 && request.duration_s == 1.5);
	assert_int_equal(request.watch.depth, 64);
	assert_true(request.watch.only_active && request.watch.or_native);
	assert_false(request.watch.has_native || request.has_functions || request.is_dump);
	assert_true(settings_bool(request.settings, SET_SAMPLING));
	assert_true(attach_is_quiet(&request));
	attach_release(&request);
	assert_parsed("-p 78 --gil");
	assert_int_equal(request.pid, 78);
	assert_true(request.watch.only_gil && !request.watch.or_native);
	assert_false(attach_is_quiet(&request));
}

/* Expressions hold blanks and commas, and each is an item of its own. */
static void test_functions(void **state)
{
	(void)state;
	assert_parsed("--functions -T --timing full -I f(int,int) -I g --min-instructions 9 77");
	assert_true(request.has_functions);
	assert_true(settings_bool(request.settings, SET_FUNCTIONS));
	assert_true(settings_bool(request.settings, SET_TRACE));
	assert_false(settings_bool(request.settings, SET_SAMPLING));
	assert_string_equal(settings_text(request.settings, SET_FUNCTIONS_TIMING), "full");
	assert_string_equal(settings_text(request.settings, SET_FUNCTIONS_INCLUDE),
			    "\"f(int,int)\" \"g\"");
	assert_int_equal(settings_integer(request.settings, SET_FUNCTIONS_MIN_INSTRUCTIONS), 9);
}

static void test_what_does_not_go_together(void **state)
{
	static const char *const cases[][2] = {
		{"", "name the process by its id; see 'kymo attach --help'"},
		{"1 2", "one process at a time; see 'kymo attach --help'"},
		{"-p 1 2", "one process at a time; see 'kymo attach --help'"},
		{"1x", "'1x' is not a process id"},
		{"0", "'0' is not a process id"},
		{"99999999999", "'99999999999' is not a process id"},
		{"1 --idle --no-idle", "--idle and --no-idle exclude each other"},
		{"1 --dump -d 3",
		 "--dump reads the stacks once: --rate and --duration do not go with it"},
		{"1 --locals", "--locals is for --dump"},
		{"1 --format json", "--format is for --dump"},
		{"1 -I f", "--timing, --trace and the selection of functions are for --functions"},
		{"1 -F --native",
		 "--functions takes no samples: of the options for those only --duration, "
		 "--output, --config, --quiet and --verbose go with it"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(parse(cases[i][0]), OPTIONS_FAILED);
		assert_string_equal(problem.text, cases[i][1]);
		attach_release(&request);
	}
}

static void test_numbers(void **state)
{
	double number = 7;

	(void)state;
	assert_int_equal(attach_take_rate("0.5", &number, &problem), KYMO_OK);
	assert_true(number == 0.5);
	assert_int_equal(attach_take_rate("100000", &number, &problem), KYMO_OK);
	assert_int_equal(attach_take_seconds("0", "--interval", &number, &problem), KYMO_OK);
	number = 7;
	for (size_t i = 0; i < 6; i++) {
		static const char *const wrong[] = {"", "0", "-1", "100001", "nan", "5x"};

		assert_int_equal(attach_take_rate(wrong[i], &number, &problem), KYMO_USAGE);
	}
	assert_int_equal(attach_take_seconds("-1", "--interval", &number, &problem), KYMO_USAGE);
	assert_string_equal(problem.text, "--interval takes seconds, not '-1'");
	assert_int_equal(attach_take_seconds("inf", "--interval", &number, &problem), KYMO_USAGE);
	assert_true(number == 7); /* set only where it is right */
}

/* The words stay as they were: another command reads them. */
static void test_words_that_are_options_alone(void **state)
{
	char *argv[] = {(char *)"attach", (char *)"-n",	     (char *)"--rate",
			(char *)"5",	  (char *)"program", NULL};

	(void)state;
	assert_true(attach_has_options(4, argv));
	assert_false(attach_has_options(5, argv));
	assert_string_equal(argv[1], "-n");
	argv[1] = (char *)"--no-such-option";
	assert_false(attach_has_options(4, argv));
}

#define WITH_REQUEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_REQUEST(test_samples),
		WITH_REQUEST(test_functions),
		WITH_REQUEST(test_what_does_not_go_together),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_words_that_are_options_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
