/* Texts as values: which are taken, how they are spelled, and what is said of the others. */
#include "config/settings.h"

#include "settings_fixture.h"

static void test_booleans(void **state)
{
	static const char *const on[] = {"ON", "on", "Yes", "TRUE", "t", "Y", "1", " on "};
	static const char *const off[] = {"OFF", "off", "No", "FALSE", "f", "N", "0"};

	(void)state;
	for (size_t i = 0; i < sizeof(on) / sizeof(*on); i++) {
		assert_set("TRACE", on[i], SET_TRACE, "ON");
		assert_true(settings_bool(settings, SET_TRACE));
	}
	for (size_t i = 0; i < sizeof(off) / sizeof(*off); i++) {
		assert_set("TRACE", off[i], SET_TRACE, "OFF");
		assert_false(settings_bool(settings, SET_TRACE));
	}
	assert_refused("TRACE", "maybe",
		       "KYMO_TRACE cannot be 'maybe' (command line): give ON or OFF");
	assert_false(settings_bool(settings, SET_TRACE));
}

static void test_integers(void **state)
{
	(void)state;
	assert_set("MAX_DEPTH", " 12 ", SET_MAX_DEPTH, "12");
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 12);
	assert_set("PRECISION", "-1", SET_PRECISION, "-1");
	assert_true(settings_number(settings, SET_PRECISION) == -1.0);
	assert_refused("MAX_DEPTH", "0",
		       "KYMO_MAX_DEPTH cannot be '0' (command line): give a whole number from 1 to "
		       "65535");
	assert_refused("MAX_DEPTH", "65536",
		       "KYMO_MAX_DEPTH cannot be '65536' (command line): give a whole number from "
		       "1 to 65535");
	assert_refused("RECORD_LIMIT_MB", "12MB",
		       "KYMO_RECORD_LIMIT_MB cannot be '12MB' (command line): give a whole number "
		       "from 0 up");
	assert_refused("RECORD_LIMIT_MB", "99999999999999999999",
		       "KYMO_RECORD_LIMIT_MB cannot be '99999999999999999999' (command line): give "
		       "a whole number from 0 up");
	assert_int_equal(settings_integer(settings, SET_MAX_DEPTH), 12);
}

static void test_choices(void **state)
{
	(void)state;
	assert_set("PYTHON_INSTRUMENTER", "CPROFILE", SET_PYTHON_INSTRUMENTER, "cProfile");
	assert_refused("CLOCK", "sundial",
		       "KYMO_CLOCK cannot be 'sundial' (command line): give one of "
		       "auto,tsc,monotonic,monotonic_raw");
	assert_set("PYTHON_LABEL", "line  ARGS", SET_PYTHON_LABEL, "line,args");
	assert_refused(
		"PYTHON_LABEL", "args,colour",
		"KYMO_PYTHON_LABEL cannot be 'args,colour' (command line): 'colour' is not one "
		"of args,file,line");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_booleans),
		CASE(test_integers),
		CASE(test_choices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
