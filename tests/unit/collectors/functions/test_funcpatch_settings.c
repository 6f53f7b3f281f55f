/* What the environment asks for, before the C library has seen it. */
#include "collectors/functions/funcpatch_settings.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LINES 8

static char lines[LINES][64];
static char *environment[LINES + 1];
static unsigned line_count;

static int begin(void **state)
{
	(void)state;
	line_count = 0;
	memset(environment, 0, sizeof(environment));
	memset(&funcpatch_settings, 0, sizeof(funcpatch_settings));
	return 0;
}

static void give(const char *line)
{
	assert_in_range(line_count, 0, LINES - 1);
	strncpy(lines[line_count], line, sizeof(lines[0]) - 1);
	environment[line_count] = lines[line_count];
	line_count++;
}

static bool read_all(void)
{
	return funcpatch_settings_read(environment);
}

static void test_values_are_of_whole_names(void **state)
{
	(void)state;
	give("KYMO_FUNCTIONS_KEY2=a");
	give("KYMO_FUNCTIONS_KEY");
	give("KYMO_FUNCTIONS_KEY=b");
	assert_string_equal(funcpatch_environment(environment, "KYMO_FUNCTIONS_KEY"), "b");
	assert_null(funcpatch_environment(environment, "KYMO_FUNCTIONS"));
	assert_null(funcpatch_environment(NULL, "KYMO_FUNCTIONS"));
}

static void test_whether_anything_is_to_be_done(void **state)
{
	(void)state;
	assert_false(read_all());
	give("KYMO_FUNCTIONS_API=libz:.*");
	assert_true(read_all());
	assert_false(funcpatch_settings.has_functions);
	assert_true(funcpatch_settings.has_later);
	give("KYMO_ENABLED=no");
	assert_false(read_all());
}

static void test_words_for_on_and_off(void **state)
{
	static const char *const on[] = {"ON", "true", "Yes", "1", "y", "T"};
	static const char *const off[] = {"OFF", "false", "No", "0", "n", "F", "perhaps", ""};

	(void)state;
	give("");
	for (unsigned i = 0; i < sizeof(on) / sizeof(*on); i++) {
		strcpy(stpcpy(lines[0], "KYMO_FUNCTIONS="), on[i]);
		assert_true(read_all());
	}
	for (unsigned i = 0; i < sizeof(off) / sizeof(*off); i++) {
		strcpy(stpcpy(lines[0], "KYMO_FUNCTIONS="), off[i]);
		assert_false(read_all());
	}
}

static void test_how_calls_are_timed(void **state)
{
	(void)state;
	give("KYMO_FUNCTIONS=ON");
	assert_true(read_all());
	assert_int_equal(funcpatch_settings.cost, PATCH_COST_COUNTS);
	give("KYMO_TRACE=ON");
	read_all();
	assert_int_equal(funcpatch_settings.cost, PATCH_COST_FULL);
	give("KYMO_FUNCTIONS_ARGS=f");
	read_all();
	assert_int_equal(funcpatch_settings.cost, PATCH_COST_COUNTS);
	give("KYMO_FUNCTIONS_COST=coarse"); /* an older name */
	read_all();
	assert_int_equal(funcpatch_settings.cost, PATCH_COST_COARSE);
	give("KYMO_FUNCTIONS_TIMING=sampled");
	read_all();
	assert_int_equal(funcpatch_settings.cost, PATCH_COST_COUNTS);
}

/* They say something of recorded calls only. */
static void test_what_goes_with_timing(void **state)
{
	(void)state;
	give("KYMO_FUNCTIONS=ON");
	give("KYMO_FUNCTIONS_TIMING=full");
	give("KYMO_FUNCTIONS_LOOPS=ON");
	give("KYMO_FUNCTIONS_SERIALIZE=ON");
	give("KYMO_FUNCTIONS_NO_CALLS=ON");
	assert_true(read_all());
	assert_true(funcpatch_settings.has_loops);
	assert_true(funcpatch_settings.is_serialized);
	assert_false(funcpatch_settings.has_calls);
	strcpy(lines[1], "KYMO_FUNCTIONS_TIMING=sampled");
	read_all();
	assert_false(funcpatch_settings.has_loops);
	assert_false(funcpatch_settings.is_serialized);
}

static void test_budgets(void **state)
{
	static const struct {
		const char *text;
		uint32_t value;
	} budgets[] = {
		{"2.5", 2500000},
		{"0.01", 10000},
		{"100", 100000000},
		{"101", 0},
		{"", 0},
		{"5%", 0},
		{"4294967297", 0},
		{".5", 500000},
		{"-1", 0},
		{"1.0000009", 1000000},
	};

	(void)state;
	give("KYMO_FUNCTIONS=ON");
	give("");
	for (unsigned i = 0; i < sizeof(budgets) / sizeof(*budgets); i++) {
		strcpy(stpcpy(lines[1], "KYMO_FUNCTIONS_BUDGET="), budgets[i].text);
		assert_true(read_all());
		assert_int_equal(funcpatch_settings.budget, budgets[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_values_are_of_whole_names, begin),
		cmocka_unit_test_setup(test_whether_anything_is_to_be_done, begin),
		cmocka_unit_test_setup(test_words_for_on_and_off, begin),
		cmocka_unit_test_setup(test_how_calls_are_timed, begin),
		cmocka_unit_test_setup(test_what_goes_with_timing, begin),
		cmocka_unit_test_setup(test_budgets, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
