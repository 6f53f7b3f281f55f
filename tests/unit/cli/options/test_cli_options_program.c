/* Where the words of a command line belong: to an option, or to the program. */
#include "cli/options/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vocabulary_fixture.h"

#define OWN_ROW(letter, letters, name, kind, action, effect, argument, own)                        \
	{                                                                                          \
		{letter, name, OPTION_##kind, NULL, argument, "x"}, letters, ACTION_##action,      \
			effect, GROUP_GENERAL, NULL, own                                           \
	}
static const struct vocabulary_row own_rows[] = {
	OWN_ROW('I', NULL, "own-items", ITEMS, SET, "FUNCTIONS_INCLUDE", "", 0),
	OWN_ROW(0, "MI", "own-pair", ITEMS, SET, "FUNCTIONS_EXCLUDE", "", 0),
	OWN_ROW(0, NULL, "own-words", ITEMS, OWN, "", "", 1),
	OWN_ROW(0, NULL, "own-choice", ONE_OF, OWN, "", "one|other", 2),
};
static const struct vocabulary_dialect own_dialect = {
	.rows = own_rows,
	.count = sizeof(own_rows) / sizeof(*own_rows),
	.topic = "own",
	.title = "own",
};

static void parse_own(struct line *line, char **argv)
{
	line->argc = 0;
	while (argv[line->argc])
		line->argc++;
	line->problem.text[0] = '\0';
	line->status = options_parse_program(COMMAND, &own_dialect, line->argc, argv,
					     &line->request, &line->problem);
}
#define PARSE_OWN(line, ...) parse_own(line, (char *[]){(char *)"run", (char *)__VA_ARGS__, NULL})

static void assert_value(const struct line *line, enum setting_id id, const char *expected)
{
	assert_int_equal(line->status, KYMO_OK);
	assert_non_null(line->request.choices[id].value);
	assert_string_equal(line->request.choices[id].value, expected);
}

/* Each word is an item, whatever is in it; letters of the command come before those of all. */
static void test_items(void **state)
{
	static const struct {
		const char *words[6], *expected;
		enum setting_id id;
		int program;
	} cases[] = {
		{{"-I", "f(int, char)", "g", "--", "p"},
		 "\"f(int, char)\",g",
		 SET_FUNCTIONS_INCLUDE,
		 5},
		{{"-I", "a", "-Ib;c", "--", "p"}, "a,\"b;c\"", SET_FUNCTIONS_INCLUDE, 5},
		{{"-I", "a\"b", "p", "-T"}, "'a\"b'", SET_FUNCTIONS_INCLUDE, 3},
		{{"-MI", "a", "p"}, "a", SET_FUNCTIONS_EXCLUDE, 3},
		{{"-MIa", "p"}, "a", SET_FUNCTIONS_EXCLUDE, 2},
		{{"-MI=a", "p"}, "a", SET_FUNCTIONS_EXCLUDE, 2},
		{{"--own-pair=a", "--own-pair", "b", "p"}, "a,b", SET_FUNCTIONS_EXCLUDE, 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *argv[8] = {(char *)"run"};
		struct line line;

		for (size_t word = 0; word < 6 && cases[i].words[word]; word++)
			argv[word + 1] = (char *)cases[i].words[word];
		parse_own(&line, argv);
		assert_value(&line, cases[i].id, cases[i].expected);
		assert_int_equal(line.request.program, cases[i].program);
		vocabulary_request_release(&line.request);
	}
}

static void test_own_words(void **state)
{
	struct line line;

	(void)state;
	PARSE_OWN(&line, "--own-words", (char *)"A=1 2", (char *)"B=3", (char *)"--own-choice",
		  (char *)"other", (char *)"--", (char *)"p");
	assert_int_equal(line.status, KYMO_OK);
	assert_false(line.request.own[0].is_given);
	assert_int_equal(line.request.own[1].count, 2);
	assert_string_equal(line.request.own[1].items[0], "A=1 2");
	assert_string_equal(line.request.own[1].items[1], "B=3");
	assert_int_equal(line.request.own[2].count, 1);
	assert_string_equal(line.request.own[2].items[0], "other");
	vocabulary_request_release(&line.request);
	/* What is none of the words is the program. */
	PARSE_OWN(&line, "--own-choice", (char *)"third");
	assert_int_equal(line.status, KYMO_OK);
	assert_true(line.request.own[2].is_given);
	assert_int_equal(line.request.own[2].count, 0);
	assert_int_equal(line.request.program, 2);
	vocabulary_request_release(&line.request);
}

static void test_own_refusals(void **state)
{
	struct line line;

	(void)state;
	PARSE_OWN(&line, "--own-choice=third", (char *)"p");
	assert_int_equal(line.status, KYMO_USAGE);
	assert_string_equal(line.problem.text, "--own-choice takes one|other, not 'third'");
	vocabulary_request_release(&line.request);
	PARSE_OWN(&line, "-MI", (char *)"--", (char *)"p");
	assert_int_equal(line.status, KYMO_USAGE);
	assert_string_equal(line.problem.text, "-MI needs a value");
	vocabulary_request_release(&line.request);
	PARSE_OWN(&line, "-I", (char *)"'\"", (char *)"p");
	assert_int_equal(line.status, KYMO_USAGE);
	assert_string_equal(line.problem.text,
			    "--own-items takes no text with both kinds of quotes: ''\"'");
	vocabulary_request_release(&line.request);
	PARSE_OWN(&line, "--own-choise", (char *)"p");
	assert_int_equal(line.status, KYMO_USAGE);
	assert_string_equal(line.problem.text,
			    "unknown option '--own-choise'; did you mean '--own-choice'?");
	vocabulary_request_release(&line.request);
}

static void test_program(void **state)
{
	static const struct {
		const char *words;
		int program; /* its place among them, from 1; 0 = none */
	} cases[] = {
		{"", 0},
		{"--", 0},
		{"-T", 0},
		{"program", 1},
		{"program -T", 1},
		{"program -- -T", 1},
		{"-- -T", 2},
		{"-T program --flat", 2},
		{"-TP program", 2},
		{"-o out program", 3},
		{"-o out prefix -- program", 5},
		{"-o out -- program", 4},
		{"-o out git diff -- file", 3},
		{"-oout program", 2},
		{"-v program", 2},
		{"-v 2 program", 3},
		{"-v2 program", 2},
		{"-vT program", 2},
		{"-v -1 program", 3},
		{"-E all mutex-locks -- program", 5},
		{"-E all program", 3},
		{"--json-output program", 2},
		{"--json-output off program", 3},
		{"--json-output true", 2},
		{"--json-output true -- program", 4},
		{"-S program", 2},
		{"-S cputime program", 3},
		{"-Scputime program", 2},
		{"-ST program", 2},
		{"--sample cputime,realtime program", 3},
		{"--sample-cputime program", 2},
		{"--sample-cputime 100 program", 3},
		{"--sample-cputime 100 0.5 0 -- program", 6},
		{"--sample-overflow page-faults -- program", 4},
		{"--export-config program", 2},
		{"--export-config=file program", 2},
		{"-", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct line line;
		int expected = cases[i].program;

		parse(&line, cases[i].words);
		if (line.status != KYMO_OK)
			fail_msg("'%s': %s", cases[i].words, line.problem.text);
		if ((int)line.request.program != (expected ? expected : line.argc))
			fail_msg("'%s': the program is word %zu", cases[i].words,
				 line.request.program);
		vocabulary_request_release(&line.request);
	}
}

static void test_refusals(void **state)
{
	static const char *const cases[][2] = {
		{"--tracee x", "unknown option '--tracee'; did you mean '--trace'?"},
		{"--perfeto-file=f x",
		 "unknown option '--perfeto-file'; did you mean '--perfetto-file'?"},
		{"--qwertyuiop x", "unknown option '--qwertyuiop'; see 'kymo run --help'"},
		{"-Z x", "unknown option '-Z'; see 'kymo run --help'"},
		{"--trace=1 x", "--trace takes no value"},
		{"-o", "-o needs a value"},
		{"-o -- x", "-o needs a value"},
		{"--output --trace x", "--output needs a value"},
		{"--verbose=much x", "--verbose takes a number, not 'much'"},
		{"-P -F x", "--profile and --flat-profile exclude each other"},
		{"-T --output-format json x", "--output-format and --trace exclude each other"},
		{"--rank-filter-id R x",
		 "--rank-filter-id requires one of the options: [--rank-filter-logs, "
		 "--rank-filter-output]"},
		{"--profile-format xml x", "--profile-format takes text, json, console, not 'xml'"},
		{"--mode fast x", "--mode takes trace, profile, sampling, not 'fast'"},
		{"--mode causal x",
		 "'--mode causal' needs causal profiling, which this build does not have"},
		{"-I ompt x",
		 "'--include ompt' needs the OpenMP collector, which this build does not have"},
		{"--run-root 1 x", "unknown option '--run-root'; see 'kymo run --help'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct line line;

		parse(&line, cases[i][0]);
		assert_string_equal(line.problem.text, cases[i][1]);
		assert_int_equal(line.status, KYMO_USAGE);
		vocabulary_request_release(&line.request);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),	  cmocka_unit_test(test_items),
		cmocka_unit_test(test_own_words), cmocka_unit_test(test_own_refusals),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
