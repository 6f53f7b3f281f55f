/* Times as people type them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/options/moment.h"

static void test_units(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {
		{"1.2", 1200000000},   {"0", 0},      {"1.2s", 1200000000}, {"350ms", 350000000},
		{"4 us", 4000},	       {"4µs", 4000}, {"17ns", 17},	    {"1.5min", 90000000000},
		{"2h", 7200000000000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t ns = 77;

		assert_int_equal(moment_parse("--from", cases[i].text, &ns, NULL), KYMO_OK);
		assert_int_equal(ns, cases[i].ns);
	}
}

static void test_what_is_no_time_is_said(void **state)
{
	static const char *const texts[] = {"",	     "s",   "-1s",	 "1x",
					    "1 s s", "1s2", "99999999h", "nan"};
	struct problem problem;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		uint64_t ns = 77;

		assert_int_equal(moment_parse("--from", texts[i], &ns, &problem), KYMO_USAGE);
		assert_non_null(problem.text);
		assert_int_equal(ns, 77);
	}
	moment_parse("--from", "soon", &(uint64_t){0}, &problem);
	assert_string_equal(problem.text,
			    "--from takes a time such as 1.2s, 350ms or 40us, not 'soon'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_what_is_no_time_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
