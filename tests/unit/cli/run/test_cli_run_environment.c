/* What a program finds in its environment: settings, the run, and nothing that was wrong. */
#include "cli/run/run_environment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cli/printed_fixture.h"
#include "config/run/rundirectory.h"
#include "config/settings_load.h"
#include "run_fixture.h"

static char *program[] = {(char *)"/bin/app", NULL};

/* A run of its own, of a program that cannot be recorded: no library is needed. */
static struct run_command run_in_folder(void)
{
	struct run_command run = run_of(program);

	snprintf(run.folder.directory, sizeof(run.folder.directory), "%s", folder);
	run.folder.is_own = true;
	return run;
}

static void assert_variable(const char *name, const char *expected)
{
	const char *value = getenv(name);

	if (!value || !expected)
		assert_ptr_equal(value, expected);
	else
		assert_string_equal(value, expected);
}

static void test_options_are_settings_of_the_program(void **state)
{
	struct run_command run = run_in_folder();
	char pid[32];

	(void)state;
	run_choose(&run, SET_TRACE, "ON");
	assert_int_equal(run_environment_set(&run, NULL), KYMO_OK);
	assert_variable("KYMO_TRACE", "ON");
	assert_variable(RUN_DIRECTORY_VARIABLE, folder);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	assert_variable(RUN_ROOT_VARIABLE, pid); /* it becomes the program */
	run.is_fork = true;
	assert_int_equal(run_environment_set(&run, NULL), KYMO_OK);
	assert_variable(RUN_ROOT_VARIABLE, "0"); /* this process stays, and writes the outputs */
	run_release(&run);
}

/* Where the program's working directory is another, paths are the same. */
static void test_paths_are_absolute(void **state)
{
	struct run_command run = run_in_folder();
	char expected[256];

	(void)state;
	run_set(&run, "CONFIG_FILE", "a.cfg:/b.cfg;~/c.cfg");
	run_set(&run, "RECORD_PATH", "local");
	assert_int_equal(run_environment_set(&run, NULL), KYMO_OK);
	snprintf(expected, sizeof(expected), "%s/a.cfg:/b.cfg:~/c.cfg", folder);
	assert_variable("KYMO_CONFIG_FILE", expected);
	snprintf(expected, sizeof(expected), "%s/local", folder);
	assert_variable("KYMO_RECORD_PATH", expected);
	run_release(&run);
}

/* A variable whose value was wrong had no effect here, and has none there. */
static void test_what_is_wrong_is_not_handed_on(void **state)
{
	struct run_command run = run_in_folder();

	(void)state;
	setenv("KYMO_TRACE", "perhaps", 1);
	setenv("KYMO_PROFILE", "OFF", 1);
	setenv("KYMO_TRACEE", "ON", 1); /* no setting: not Kymo's to take away */
	assert_int_equal(settings_load(run.settings, environ, NULL, NULL), KYMO_OK);
	assert_int_equal(run_environment_set(&run, NULL), KYMO_OK);
	assert_variable("KYMO_TRACE", NULL);
	assert_variable("KYMO_PROFILE", "OFF");
	assert_variable("KYMO_TRACEE", "ON");
	unsetenv("KYMO_TRACEE");
	run_release(&run);
}

/* The command line counts where the environment is not to be read. */
static void test_an_environment_that_is_not_read(void **state)
{
	struct run_command run = run_in_folder();

	(void)state;
	setenv("KYMO_PROFILE", "OFF", 1);
	setenv("KYMO_SUPPRESS_PARSING", "ON", 1);
	run_choose(&run, SET_SUPPRESS_PARSING, "ON");
	run_choose(&run, SET_TRACE, "ON");
	assert_int_equal(run_environment_set(&run, NULL), KYMO_OK);
	assert_variable("KYMO_PROFILE", NULL);
	assert_variable("KYMO_SUPPRESS_PARSING", NULL);
	assert_variable("KYMO_SUPPRESS_CONFIG", "ON");
	assert_variable("KYMO_TRACE", "ON");
	run_release(&run);
}

static void test_a_run_that_is_joined(void **state)
{
	struct run_command run = run_in_folder();

	(void)state;
	run.folder.is_own = false;
	setenv(RUN_ROOT_VARIABLE, "77", 1);
	assert_int_equal(run_environment_set(&run, NULL), KYMO_OK);
	assert_variable(RUN_DIRECTORY_VARIABLE, folder);
	assert_variable(RUN_ROOT_VARIABLE, "77"); /* who writes the outputs is not changed */
	run_release(&run);
}

static void show(void *context)
{
	run_environment_show(context);
}

static void test_what_differs_is_shown(void **state)
{
	struct run_command run = run_in_folder();
	char *text;

	(void)state;
	setenv("KYMO_TEST_GONE", "1", 1);
	setenv("KYMO_TEST_CHANGED", "1", 1);
	setenv("KYMO_TEST_SAME", "1", 1);
	run_environment_remember();
	unsetenv("KYMO_TEST_GONE");
	setenv("KYMO_TEST_CHANGED", "a\033b", 1);
	setenv("KYMO_TEST_NEW", "", 1);
	text = printed_on(stderr, show, &run);
	assert_non_null(strstr(text, "KYMO_TEST_GONE is not set\n"));
	assert_non_null(strstr(text, "KYMO_TEST_CHANGED=a\\x1bb\n"));
	assert_non_null(strstr(text, "KYMO_TEST_NEW=\n"));
	assert_null(strstr(text, "KYMO_TEST_SAME"));
	free(text);
	run_release(&run);
}

/* No variable of a test reaches the next one. */
static int set_up(void **state)
{
	for (char **entry = environ; *entry;) {
		char name[128];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(*entry, "="), *entry);
		if (strncmp(name, "KYMO_", 5) != 0 || unsetenv(name) < 0)
			entry++;
	}
	return folder_set_up(state);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_options_are_settings_of_the_program),
		IN_FOLDER(test_paths_are_absolute),
		IN_FOLDER(test_what_is_wrong_is_not_handed_on),
		IN_FOLDER(test_an_environment_that_is_not_read),
		IN_FOLDER(test_a_run_that_is_joined),
		IN_FOLDER(test_what_differs_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
