/* The variables by which processes join a run. */
#include "config/run/rundirectory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct kymo_clock_pair first = {11, 22, UINT64_MAX};

static int clear(void **state)
{
	(void)state;
	return clearenv();
}

static void test_none(void **state)
{
	struct kymo_clock_pair pair;

	(void)state;
	assert_int_equal(rundirectory_root(environ), -1);
	assert_int_equal(rundirectory_parent(environ), 0);
	assert_int_equal(rundirectory_cost(environ), 0);
	assert_false(rundirectory_clock(environ, &pair));
	rundirectory_sign(environ, 7);
	rundirectory_record_cost(environ, 7);
	assert_int_equal(rundirectory_parent(environ), 0);
	assert_int_equal(rundirectory_root(NULL), -1);
}

static void test_exported(void **state)
{
	struct kymo_clock_pair pair;

	(void)state;
	rundirectory_export("/some where", 123, &first);
	assert_string_equal(getenv("KYMO_RUN_DIR"), "/some where");
	assert_int_equal(rundirectory_root(environ), 123);
	assert_int_equal(rundirectory_parent(environ), 0);
	assert_true(rundirectory_clock(environ, &pair));
	assert_memory_equal(&pair, &first, sizeof(pair));
	rundirectory_export("/other", 0, NULL);
	assert_int_equal(rundirectory_root(environ), 0);
	assert_true(rundirectory_clock(environ, &pair) && pair.monotonic_ns > 0);
}

/* In place: who holds the entry sees the change, and nothing moves. */
static void test_signed(void **state)
{
	const char *value, *cost;

	(void)state;
	rundirectory_export("/some where", 123, &first);
	value = getenv("KYMO_RUN_PARENT");
	cost = getenv("KYMO_RUN_COST");
	rundirectory_sign(environ, 4194304);
	rundirectory_record_cost(environ, 45678);
	assert_int_equal(rundirectory_parent(environ), 4194304);
	assert_int_equal(rundirectory_cost(environ), 45678);
	assert_ptr_equal(getenv("KYMO_RUN_PARENT"), value);
	assert_string_equal(value, "0004194304");
	assert_string_equal(cost, "0000045678");
	rundirectory_export("/next", 1, &first);
	assert_int_equal(rundirectory_parent(environ), 0);
}

/* A value that somebody else wrote is left alone. */
static void test_foreign_values(void **state)
{
	struct kymo_clock_pair pair;

	(void)state;
	setenv("KYMO_RUN_PARENT", "12", 1);
	rundirectory_sign(environ, 5);
	assert_string_equal(getenv("KYMO_RUN_PARENT"), "12");
	setenv("KYMO_RUN_CLOCK", "nonsense", 1);
	assert_false(rundirectory_clock(environ, &pair));
	setenv("KYMO_RUN_CLOCK", "99:1:2:3", 1);
	assert_false(rundirectory_clock(environ, &pair));
	setenv("KYMO_RUN_ROOT", "", 1);
	assert_int_equal(rundirectory_root(environ), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_none, clear),
		cmocka_unit_test_setup(test_exported, clear),
		cmocka_unit_test_setup(test_signed, clear),
		cmocka_unit_test_setup(test_foreign_values, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
