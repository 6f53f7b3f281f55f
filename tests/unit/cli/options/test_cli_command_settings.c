/* The settings of the user, for commands that only read them. */
#include "cli/options/command_settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "cli/printed_fixture.h"

static struct settings *settings;
static enum kymo_status status;
static struct problem problem;

static void make(void *context)
{
	(void)context;
	settings = NULL;
	status = command_settings_new(&settings, &problem);
}

/* What whoever builds has set is not the test's. */
static int set_up(void **state)
{
	(void)state;
	return clearenv() | setenv("KYMO_SUPPRESS_CONFIG", "ON", 1);
}

static void test_the_environment_is_read(void **state)
{
	(void)state;
	setenv("KYMO_TRACE", "yes", 1);
	assert_printed(printed_on(stderr, make, NULL), "");
	assert_int_equal(status, KYMO_OK);
	assert_true(settings_bool(settings, SET_TRACE));
	settings_free(settings);
}

/* It is said, cleaned, and the rest holds. */
static void test_what_is_wrong_there_is_said(void **state)
{
	char *text;

	(void)state;
	setenv("KYMO_TRACE", "a\033b", 1);
	text = printed_on(stderr, make, NULL);
	assert_int_equal(status, KYMO_OK);
	assert_memory_equal(text, "kymo: KYMO_TRACE cannot be 'a\\x1bb'", 34);
	assert_int_equal(settings_source(settings, SET_TRACE), SETTING_FROM_DEFAULT);
	settings_free(settings);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_the_environment_is_read, set_up),
		cmocka_unit_test_setup(test_what_is_wrong_there_is_said, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
