/* The options of `kymo instrument`: a table whose rows are whole, and what some of them mean. */
#include "cli/instrument/instrument_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cli/options/options.h"

static struct vocabulary_request request;
static struct problem problem;

#define PARSE(...)                                                                                 \
	options_parse_program(                                                                     \
		"kymo instrument", &instrument_dialect,                                            \
		(int)(sizeof((char *[]){(char *)"x", __VA_ARGS__}) / sizeof(char *)),              \
		(char *[]){(char *)"x", __VA_ARGS__, NULL}, &request, &problem)
#define W(word) (char *)word

static void assert_setting(enum setting_id id, const char *expected)
{
	assert_non_null(request.choices[id].value);
	assert_string_equal(request.choices[id].value, expected);
}

/* Each name and letter once, and each index of the request's own. */
static void test_rows_are_whole(void **state)
{
	bool is_there[OWN_COUNT] = {false};

	(void)state;
	for (size_t i = 0; i < instrument_dialect.count; i++) {
		const struct vocabulary_row *own = &instrument_dialect.rows[i];

		if (!own->why)
			assert_true(own->option.help[0]);
		if (own->action == ACTION_OWN) {
			assert_true(own->own < OWN_COUNT && !is_there[own->own]);
			is_there[own->own] = true;
		}
		for (size_t k = 0; k < i; k++) {
			const struct vocabulary_row *other = &instrument_dialect.rows[k];

			assert_string_not_equal(own->option.name, other->option.name);
			assert_true(!own->option.letter ||
				    own->option.letter != other->option.letter);
			assert_true(!own->letters || !other->letters ||
				    strcmp(own->letters, other->letters) != 0);
		}
	}
	for (int i = 0; i < OWN_COUNT; i++)
		assert_true(is_there[i]);
}

static void test_selections(void **state)
{
	(void)state;
	assert_int_equal(PARSE(W("-I"), W("f(int, char)"), W("-ME"), W("libz"), W("-i"), W("9"),
			       W("--timing=coarse"), W("--args"), W("g"), W("--"), W("app")),
			 KYMO_OK);
	assert_setting(SET_FUNCTIONS_INCLUDE, "\"f(int, char)\"");
	assert_setting(SET_FUNCTIONS_MODULE_EXCLUDE, "libz");
	assert_setting(SET_FUNCTIONS_MIN_INSTRUCTIONS, "9");
	assert_setting(SET_FUNCTIONS_MIN_BYTES, "0"); /* the other least size is forgotten */
	assert_setting(SET_FUNCTIONS_TIMING, "coarse");
	assert_setting(SET_TRACE, "ON"); /* arguments are those of single calls */
	assert_int_equal(request.program, 11);
	vocabulary_request_release(&request);
}

static void test_options_of_the_command_itself(void **state)
{
	(void)state;
	assert_int_equal(PARSE(W("--simulate"), W("--print-excluded"), W("pair"), W("-o"),
			       W("copy"), W("--env"), W("A=1"), W("B=2"), W("--"), W("app")),
			 KYMO_OK);
	assert_true(request.own[OWN_SIMULATE].is_given);
	assert_string_equal(request.own[OWN_PRINT_EXCLUDED].items[0], "pair");
	assert_string_equal(request.own[OWN_OUTPUT].items[0], "copy");
	assert_int_equal(request.own[OWN_ENVIRONMENT].count, 2);
	assert_null(request.choices[SET_OUTPUT_PATH].value);
	vocabulary_request_release(&request);
}

/* What others have and Kymo has no need of: passed over, or refused with what to do. */
static void test_what_is_not_needed(void **state)
{
	(void)state;
	assert_int_equal(PARSE(W("--traps"), W("-L"), W("libx.so"), W("app")), KYMO_OK);
	assert_int_equal(request.noted_count, 2);
	assert_string_equal(request.noted[0]->option.name, "traps");
	assert_int_equal(request.program, 4);
	vocabulary_request_release(&request);
	assert_int_equal(PARSE(W("-p"), W("77")), KYMO_USAGE);
	assert_string_equal(problem.text,
			    "'--pid' is not needed: 'kymo attach PID --functions' records a "
			    "running program");
	vocabulary_request_release(&request);
	assert_int_equal(PARSE(W("--coverage"), W("app")), KYMO_USAGE);
	assert_memory_equal(problem.text, "'--coverage' needs code coverage", 32);
	vocabulary_request_release(&request);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_whole),
		cmocka_unit_test(test_selections),
		cmocka_unit_test(test_options_of_the_command_itself),
		cmocka_unit_test(test_what_is_not_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
