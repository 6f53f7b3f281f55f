/* Putting the command into that of a launcher. */
#include "cli/run/run_start.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "run_fixture.h"

static const struct run_flavour flavour = {.name = "kymo sample", .word = "sample"};

/* mpirun -n 2 app -n 3, with these expressions, after the options -T -o out. */
static struct run_command launcher(const char *pattern)
{
	static char *program[] = {(char *)"mpirun", (char *)"-n", (char *)"2", (char *)"app",
				  (char *)"-n",	    (char *)"3",  NULL};
	struct run_command run = run_of(program);

	run.flavour = &flavour;
	run.request.actions[ACTION_LAUNCHER] = pattern;
	run.request.option_end = 4;
	strcpy(run.folder.directory, "/runs/one");
	return run;
}

static char *words[] = {(char *)"sample", (char *)"-T",	    (char *)"-o", (char *)"out",
			(char *)"mpirun", (char *)"-n ...", NULL};

static void test_the_command_stands_before_the_program(void **state)
{
	static const char *const expected[] = {
		"mpirun", "-n",	 "2",		NULL /* kymo */,       "sample", "-T",
		"-o",	  "out", "--launcher=", "--run-dir=/runs/one", "--",	 "app",
		"-n",	  "3",
	};
	struct run_command run = launcher("^app$");
	size_t count = sizeof(expected) / sizeof(*expected);

	(void)state;
	assert_int_equal(run_launcher_insert(&run, words, NULL), KYMO_OK);
	for (size_t i = 0; i < count; i++) {
		assert_non_null(run.program[i]);
		if (expected[i])
			assert_string_equal(run.program[i], expected[i]);
		else
			assert_int_equal(run.program[i][0], '/'); /* whatever PATH there is */
	}
	assert_null(run.program[count]);
	free(run.program[3]);
	free(run.program[9]);
	free(run.program);
	run_release(&run);
}

/* The launcher itself is none of its arguments. */
static void test_what_matches_nothing(void **state)
{
	struct run_command run = launcher("mpirun");
	struct problem problem;

	(void)state;
	assert_int_equal(run_launcher_insert(&run, words, &problem), KYMO_USAGE);
	assert_string_equal(problem.text, "--launcher: no argument of 'mpirun' matches 'mpirun'");
	assert_string_equal(run.program[0], "mpirun"); /* it is as it was */
	assert_string_equal(run.program[1], "-n");
	run_release(&run);
}

static void test_what_is_no_expression(void **state)
{
	struct run_command run = launcher("(");
	struct problem problem;

	(void)state;
	assert_int_equal(run_launcher_insert(&run, words, &problem), KYMO_USAGE);
	assert_memory_equal(problem.text, "--launcher takes a regular expression, not '(': ", 48);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_command_stands_before_the_program),
		cmocka_unit_test(test_what_matches_nothing),
		cmocka_unit_test(test_what_is_no_expression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
