/* The vocabulary of options: every row does what it says, all the way to the settings. */
#include "base/text/listitem.h"
#include "cli/options/vocabulary.h"
#include "cli/options/vocabulary_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND	   "kymo run"
#define WORDS_MAX  16
#define VALUE_SIZE 64
#define OWN_MAX	   3 /* settings that get their values from the words of one option */

struct line { /* a command line, parsed */
	struct vocabulary_request request;
	struct problem problem;
	enum kymo_status status;
	int argc;
};

/* words: separated by blanks. */
static void parse(struct line *line, const char *words)
{
	static char copy[1024];
	char *argv[WORDS_MAX + 1] = {(char *)"run"}, *word, *rest;

	snprintf(copy, sizeof(copy), "%s", words);
	line->argc = 1;
	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[line->argc++] = word;
	line->problem.text[0] = '\0';
	line->status =
		vocabulary_parse(COMMAND, NULL, line->argc, argv, &line->request, &line->problem);
}

/* The settings of a program in whose environment the choices are. */
static struct settings *settings_of(const struct line *line)
{
	char *environment[SETTING_COUNT + 2] = {(char *)"KYMO_SUPPRESS_CONFIG=ON"};
	struct settings *settings = settings_new();
	struct problem problem = {""};
	size_t count = 1;

	for (int id = 0; id < SETTING_COUNT; id++)
		if (line->request.choices[id].value)
			assert_true(asprintf(&environment[count++], "KYMO_%s=%s",
					     setting_table[id].name,
					     line->request.choices[id].value) > 0);
	assert_non_null(settings);
	assert_int_equal(settings_load(settings, environment, NULL, &problem), KYMO_OK);
	if (settings_warning_count(settings) > 0)
		fail_msg("%s", settings_warning(settings, 0));
	for (size_t i = 1; i < count; i++)
		free(environment[i]);
	return settings;
}

/* A value that the setting takes and that is not its default. */
static void sample(enum setting_id id, char *value)
{
	const struct setting_row *row = &setting_table[id];
	size_t length, default_length = strlen(row->default_text);
	const char *rest = row->choices, *item;

	switch (row->type) {
	case SETTING_BOOL:
		snprintf(value, VALUE_SIZE, "%s", strcmp(row->default_text, "ON") ? "ON" : "OFF");
		return;
	case SETTING_INTEGER:
	case SETTING_NUMBER:
		snprintf(value, VALUE_SIZE, "%s", strcmp(row->default_text, "3") ? "3" : "4");
		return;
	case SETTING_TEXT:
	case SETTING_LIST:
		break;
	}
	snprintf(value, VALUE_SIZE, "%s",
		 strstr(row->name, "PERIODS")	   ? "1:2"
		 : strstr(row->name, "CATEGORIES") ? "user"
						   : "word");
	while (strstr(row->choices, "..") == NULL && listitem_next(&rest, &item, &length)) {
		if (length == default_length && strncmp(item, row->default_text, length) == 0)
			continue;
		snprintf(value, VALUE_SIZE, "%.*s", (int)length, item);
		return;
	}
}

static void assert_setting(const struct settings *settings, enum setting_id id, const char *value,
			   const char *option)
{
	if (strcmp(settings_text(settings, id), value) != 0)
		fail_msg("%s: KYMO_%s is '%s', not '%s'", option, setting_table[id].name,
			 settings_text(settings, id), value);
}

static size_t count_items(const char *effect)
{
	size_t count = 0;

	while (*(effect += strspn(effect, " "))) {
		count++;
		effect += strcspn(effect, " ");
	}
	return count;
}

/* Every name in the effect is a setting, and every fixed value one that it takes. */
static size_t assert_effect(const char *effect, const char *option)
{
	struct settings *settings = settings_new();
	const char *rest = effect;
	struct vocabulary_effect one;
	char value[VALUE_SIZE];
	size_t count = 0;

	assert_non_null(settings);
	for (; vocabulary_effect_next(&rest, &one); count++) {
		if (!one.value)
			continue;
		snprintf(value, sizeof(value), "%.*s", (int)one.length, one.value);
		assert_int_equal(settings_set(settings, setting_table[one.id].name, value,
					      SETTING_FROM_COMMAND, NULL),
				 KYMO_OK);
		assert_setting(settings, one.id, value, option);
	}
	settings_free(settings);
	if (count != count_items(effect))
		fail_msg("--%s: a name in '%s' is no setting", option, effect);
	return count;
}

static void test_rows_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < vocabulary_count; i++) {
		const struct vocabulary_row *row = &vocabulary_table[i];

		assert_ptr_equal(vocabulary_find(row->name, strlen(row->name)), row);
		if (row->letter)
			assert_ptr_equal(vocabulary_find_letter(row->letter), row);
		if (row->needs)
			continue;
		assert_true(row->help[0] != '\0');
		if (row->action == ACTION_SET)
			assert_true(assert_effect(row->effect, row->name) > 0);
		else if (row->action < ACTION_HELP)
			assert_effect(row->effect, row->name);
		else
			assert_int_equal(count_items(row->effect), 0);
	}
	for (size_t i = 0; i < vocabulary_word_count; i++) {
		const struct vocabulary_word *word = &vocabulary_words[i];
		const struct vocabulary_row *row =
			vocabulary_find(word->option, strlen(word->option));

		assert_non_null(row);
		assert_true(row->action >= ACTION_WORDS_EXACT && row->action < ACTION_HELP);
		assert_effect(word->effect, word->option);
		assert_true(word->needs || word->effect[0] || strcmp(word->word, "all") == 0);
	}
}

/* What an option of the table sets arrives in the settings of the program. */
static void test_rows_set_settings(void **state)
{
	(void)state;
	for (size_t i = 0; i < vocabulary_count; i++) {
		const struct vocabulary_row *row = &vocabulary_table[i];
		char words[2 * VALUE_SIZE + 128], values[OWN_MAX][VALUE_SIZE] = {""},
						  fixed[VALUE_SIZE];
		bool is_one_each = row->arity == ARITY_PAIR || row->arity == ARITY_SERIES;
		const char *rest = row->effect;
		struct vocabulary_effect one;
		struct settings *settings;
		struct line line;

		if (row->needs || row->action != ACTION_SET)
			continue;
		for (size_t n = 0; vocabulary_effect_next(&rest, &one);)
			if (!one.value)
				sample(one.id, values[n++]);
		snprintf(words, sizeof(words), "%s --%s%s%s %s %s -- program",
			 strcmp(row->name, "rank-filter-id") == 0 ? "--rank-filter-logs=0" : "",
			 row->name, row->arity == ARITY_OPTIONAL ? "=" : " ", values[0],
			 is_one_each ? values[1] : "", is_one_each ? values[2] : "");
		parse(&line, words);
		if (line.status != KYMO_OK)
			fail_msg("%s: %s", words, line.problem.text);
		assert_int_equal(line.request.program, line.argc - 1);
		settings = settings_of(&line);
		rest = row->effect;
		for (size_t n = 0; vocabulary_effect_next(&rest, &one); n += !one.value) {
			snprintf(fixed, sizeof(fixed), "%.*s", (int)one.length,
				 one.value ? one.value : "");
			assert_setting(settings, one.id,
				       one.value ? fixed : values[is_one_each ? n : 0], words);
		}
		settings_free(settings);
		vocabulary_request_release(&line.request);
	}
}

static void test_every_setting_is_an_option(void **state)
{
	static const char *const forms[] = {"--%s=%s program", "--%s %s -- program"};

	(void)state;
	for (int id = 0; id < SETTING_COUNT; id++) {
		char name[64], value[VALUE_SIZE], words[256];

		vocabulary_spell((enum setting_id)id, name, sizeof(name));
		if (!vocabulary_is_option((enum setting_id)id) ||
		    vocabulary_find(name, strlen(name)))
			continue;
		sample((enum setting_id)id, value);
		for (size_t form = 0; form < sizeof(forms) / sizeof(*forms); form++) {
			struct settings *settings;
			struct line line;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(words, sizeof(words), forms[form], name, value);
#pragma GCC diagnostic pop
			parse(&line, words);
			if (line.status != KYMO_OK)
				fail_msg("%s: %s", words, line.problem.text);
			assert_string_equal(line.request.choices[id].value, value);
			/* What changes how settings are read is not read back. */
			if (strncmp(setting_table[id].categories, "config", 6) != 0) {
				settings = settings_of(&line);
				assert_setting(settings, (enum setting_id)id, value, words);
				settings_free(settings);
			}
			vocabulary_request_release(&line.request);
		}
	}
}

static void test_missing_parts_are_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < vocabulary_count; i++) {
		const struct vocabulary_row *row = &vocabulary_table[i];
		char words[128], expected[256];
		struct line line;

		if (!row->needs)
			continue;
		snprintf(words, sizeof(words), "--%s program", row->name);
		snprintf(expected, sizeof(expected),
			 "'--%s' needs %s, which this build does not have", row->name, row->needs);
		parse(&line, words);
		assert_int_equal(line.status, KYMO_USAGE);
		assert_string_equal(line.problem.text, expected);
		vocabulary_request_release(&line.request);
	}
}

static const struct vocabulary_own own_rows[] = {
	{{'I', "own-items", ARITY_ITEMS, ACTION_SET, "FUNCTIONS_INCLUDE", GROUP_GENERAL, "", "x",
	  NULL},
	 NULL,
	 0},
	{{0, "own-pair", ARITY_ITEMS, ACTION_SET, "FUNCTIONS_EXCLUDE", GROUP_GENERAL, "", "x",
	  NULL},
	 "MI",
	 0},
	{{0, "own-words", ARITY_ITEMS, ACTION_OWN, "", GROUP_GENERAL, "", "x", NULL}, NULL, 1},
	{{0, "own-choice", ARITY_CHOICE, ACTION_OWN, "", GROUP_GENERAL, "one|other", "x", NULL},
	 NULL,
	 2},
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
	line->status = vocabulary_parse(COMMAND, &own_dialect, line->argc, argv, &line->request,
					&line->problem);
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

static void assert_choices(const char *words, const char *expected)
{
	char found[1024] = "";
	struct line line;

	parse(&line, words);
	if (line.status != KYMO_OK)
		fail_msg("%s: %s", words, line.problem.text);
	for (int id = 0; id < SETTING_COUNT; id++) {
		size_t used = strlen(found);

		if (line.request.choices[id].value)
			snprintf(found + used, sizeof(found) - used, "%s=%s ",
				 setting_table[id].name, line.request.choices[id].value);
	}
	assert_string_equal(found, expected);
	vocabulary_request_release(&line.request);
}

static void test_values(void **state)
{
	(void)state;
	assert_choices("-o out pre -- x", "OUTPUT_PATH=out OUTPUT_PREFIX=pre ");
	assert_choices("-o a b -o c -- x", "OUTPUT_PATH=c ");
	assert_choices("-c a.cfg b.cfg -c c.cfg -- x", "CONFIG_FILE=a.cfg:b.cfg:c.cfg ");
	assert_choices("--timemory-components wall_clock,peak_rss trip_count -- x",
		       "TIMEMORY_COMPONENTS=wall_clock,peak_rss,trip_count ");
	assert_choices("-v x", "VERBOSE=1 ");
	assert_choices("-vvv3 x", "VERBOSE=3 ");
	assert_choices("--trace-file a.proto --perfetto-file=b.proto x", "PERFETTO_FILE=b.proto ");
	assert_choices("--profile-format json,console -- x",
		       "TEXT_OUTPUT=OFF JSON_OUTPUT=ON TREE_OUTPUT=ON COUT_OUTPUT=ON ");
	assert_choices("--profile-format text --profile-format json -- x",
		       "TEXT_OUTPUT=ON JSON_OUTPUT=ON TREE_OUTPUT=ON COUT_OUTPUT=OFF ");
	assert_choices("--output-format proto x",
		       "PROFILE=OFF TRACE=ON TEXT_OUTPUT=OFF JSON_OUTPUT=OFF TREE_OUTPUT=OFF ");
	assert_choices("--output-format txt,json x",
		       "PROFILE=ON TRACE=OFF TEXT_OUTPUT=ON JSON_OUTPUT=ON TREE_OUTPUT=ON ");
	assert_choices("--mode trace x", "PROFILE=OFF TRACE=ON SAMPLING=OFF ");
	assert_choices("--mode trace -F x", "PROFILE=ON TRACE=ON SAMPLING=OFF FLAT_PROFILE=ON ");
}

static void test_weak_assignments_yield(void **state)
{
	(void)state;
	assert_choices("-w 1 x", "TRACE_DELAY=1 SAMPLING_DELAY=1 ");
	assert_choices("--trace-wait 2 -w 1 x", "TRACE_DELAY=2 SAMPLING_DELAY=1 ");
	assert_choices("-w 1 --trace-wait 2 x", "TRACE_DELAY=2 SAMPLING_DELAY=1 ");
	assert_choices("-w 1 --sampling-wait 2 x", "TRACE_DELAY=1 SAMPLING_DELAY=2 ");
	assert_choices("-w 1 -w 3 -d 0.5 x", "TRACE_DELAY=3 TRACE_DURATION=0.5 SAMPLING_DELAY=3 "
					     "SAMPLING_DURATION=0.5 ");
}

static void test_samples(void **state)
{
	(void)state;
	assert_choices("-S x", "SAMPLING=ON SAMPLING_REALTIME=OFF SAMPLING_CPUTIME=OFF "
			       "SAMPLING_OVERFLOW=OFF ");
	assert_choices("-S cputime x", "SAMPLING=ON SAMPLING_REALTIME=OFF SAMPLING_CPUTIME=ON "
				       "SAMPLING_OVERFLOW=OFF ");
	assert_choices("--sample=cputime,realtime x",
		       "SAMPLING=ON SAMPLING_REALTIME=ON SAMPLING_CPUTIME=ON "
		       "SAMPLING_OVERFLOW=OFF ");
	assert_choices("-S realtime --sample cputime x",
		       "SAMPLING=ON SAMPLING_REALTIME=ON SAMPLING_CPUTIME=ON "
		       "SAMPLING_OVERFLOW=OFF ");
	assert_choices("--sample-cputime x", "SAMPLING=ON SAMPLING_CPUTIME=ON ");
	assert_choices("--sample-cputime 250 x",
		       "SAMPLING=ON SAMPLING_CPUTIME=ON SAMPLING_CPUTIME_FREQ=250 ");
	assert_choices("--sample-realtime 250 0.5 0 2-4 -- x",
		       "SAMPLING=ON SAMPLING_REALTIME=ON SAMPLING_REALTIME_FREQ=250 "
		       "SAMPLING_REALTIME_DELAY=0.5 SAMPLING_REALTIME_TIDS=0,2-4 ");
	assert_choices("--sample-overflow perf::PERF_COUNT_SW_PAGE_FAULTS x",
		       "SAMPLING=ON SAMPLING_OVERFLOW=ON "
		       "SAMPLING_OVERFLOW_EVENT=perf::PERF_COUNT_SW_PAGE_FAULTS ");
	assert_choices("--cpu x", "SAMPLING=ON ");
	assert_choices("--cpu=50 x", "SAMPLING=ON SAMPLING_FREQ=50 ");
}

static void test_locks(void **state)
{
	(void)state;
	assert_choices("-I mutex-locks -- x", "TRACE_THREAD_LOCKS=ON ");
	assert_choices("--locks -E rw-locks -- x",
		       "TRACE_THREAD_LOCKS=ON TRACE_THREAD_RW_LOCKS=OFF "
		       "TRACE_THREAD_SPIN_LOCKS=ON ");
	assert_choices("--locks=all x", "TRACE_THREAD_LOCKS=ON TRACE_THREAD_RW_LOCKS=ON "
					"TRACE_THREAD_SPIN_LOCKS=ON LOCKS_RECORD=all ");
	assert_choices("-I all -E rw-locks,spin-locks -- x",
		       "TRACE_THREAD_LOCKS=ON TRACE_THREAD_RW_LOCKS=OFF "
		       "TRACE_THREAD_SPIN_LOCKS=OFF TRACE_GIL=ON ");
	assert_choices("-E all ompt -- x", "TRACE_THREAD_LOCKS=OFF TRACE_THREAD_RW_LOCKS=OFF "
					   "TRACE_THREAD_SPIN_LOCKS=OFF TRACE_GIL=OFF ");
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
		cmocka_unit_test(test_rows_are_whole),
		cmocka_unit_test(test_rows_set_settings),
		cmocka_unit_test(test_every_setting_is_an_option),
		cmocka_unit_test(test_missing_parts_are_named),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_items),
		cmocka_unit_test(test_own_words),
		cmocka_unit_test(test_own_refusals),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_weak_assignments_yield),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_locks),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
