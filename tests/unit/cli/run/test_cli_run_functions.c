/* What the collector of native functions is told under kymo run. */
#include "cli/run/run_functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "run_fixture.h"

static char *program[] = {(char *)"/bin/app", NULL};

static void assert_choice(const struct run_command *run, enum setting_id id, const char *expected)
{
	const char *value = run->request.choices[id].value;

	if (!expected || !value)
		assert_ptr_equal(value, expected);
	else
		assert_string_equal(value, expected);
}

static void test_nothing_unless_it_is_asked_for(void **state)
{
	struct run_command run = run_of(program);

	(void)state;
	run_set(&run, "FUNCTIONS_INCLUDE", "(wrong");
	assert_int_equal(run_functions_choose(&run, NULL), KYMO_OK);
	assert_choice(&run, SET_FUNCTIONS, NULL);
	run_release(&run);
}

/* Wherever it comes from, it is put into the environment. */
static void test_what_is_needed_early(void **state)
{
	struct run_command run = run_of(program);

	(void)state;
	run_set(&run, "FUNCTIONS", "ON");
	run_set(&run, "FUNCTIONS_TIMING", "coarse");
	run_set(&run, "FUNCTIONS_MODULE_INCLUDE", "libz");
	assert_int_equal(run_functions_choose(&run, NULL), KYMO_OK);
	assert_choice(&run, SET_FUNCTIONS, "ON");
	assert_choice(&run, SET_FUNCTIONS_TIMING, "coarse");
	assert_choice(&run, SET_FUNCTIONS_MODULE_INCLUDE, "libz");
	assert_choice(&run, SET_FUNCTIONS_MODULE_EXCLUDE, NULL); /* it says nothing */
	assert_choice(&run, SET_FUNCTIONS_INCLUDE, NULL);	 /* it is in the key */
	run_release(&run);
}

static void test_interfaces_alone(void **state)
{
	struct run_command run = run_of(program);

	(void)state;
	run_set(&run, "FUNCTIONS_API", "blas libz:^inflate");
	assert_int_equal(run_functions_choose(&run, NULL), KYMO_OK);
	assert_choice(&run, SET_FUNCTIONS, "OFF");
	assert_choice(&run, SET_FUNCTIONS_API, "blas libz:^inflate");
	run_release(&run);
}

static void test_what_is_wrong_is_said_before_the_program_begins(void **state)
{
	static const char *const cases[][3] = {
		{"FUNCTIONS_API", ":f", "--trace-api takes LIB or LIB:REGEX, not ':f'"},
		{"FUNCTIONS_API", "z:f z:(", "--trace-api: '(' is not a regular expression"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run_command run = run_of(program);
		struct problem problem;

		run_set(&run, cases[i][0], cases[i][1]);
		assert_int_equal(run_functions_choose(&run, &problem), KYMO_USAGE);
		assert_string_equal(problem.text, cases[i][2]);
		assert_choice(&run, SET_FUNCTIONS_API, NULL);
		run_release(&run);
	}
}

/* Most programs are no instrumented copies. */
static void test_what_is_no_copy(void **state)
{
	struct run_command run = run_of(program);
	bool is_copy = true;

	(void)state;
	strcpy(run.path, "/proc/self/exe");
	assert_int_equal(run_functions_copy(&run, &is_copy, NULL), KYMO_OK);
	assert_false(is_copy);
	assert_choice(&run, SET_FUNCTIONS, NULL);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_unless_it_is_asked_for),
		cmocka_unit_test(test_what_is_needed_early),
		cmocka_unit_test(test_interfaces_alone),
		cmocka_unit_test(test_what_is_wrong_is_said_before_the_program_begins),
		cmocka_unit_test(test_what_is_no_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
