/* Filter files: order, wildcards, mangled names, and what is refused. */
#include "cli/instrument/function_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static struct function_filter *parsed(const char *text)
{
	struct function_filter *filter = NULL;
	struct problem problem = {""};

	if (function_filter_parse(text, strlen(text), "f", &filter, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	return filter;
}

static void assert_verdicts(const char *text, const char *name, const char *mangled,
			    enum filter_verdict expected)
{
	struct function_filter *filter = parsed(text);

	assert_int_equal(function_filter_judge(filter, name, mangled), expected);
	function_filter_free(filter);
}

static void test_last_rule_counts(void **state)
{
	static const char text[] = "SCOREP_REGION_NAMES_BEGIN # all but a few\n"
				   "  EXCLUDE *\n"
				   "  INCLUDE solve step_*\n"
				   "  EXCLUDE step_back\n"
				   "SCOREP_REGION_NAMES_END\n";

	(void)state;
	assert_verdicts(text, "other", "other", FILTER_EXCLUDES);
	assert_verdicts(text, "solve", "solve", FILTER_INCLUDES);
	assert_verdicts(text, "solver", "solver", FILTER_EXCLUDES);
	assert_verdicts(text, "step_on", "step_on", FILTER_INCLUDES);
	assert_verdicts(text, "step_back", "step_back", FILTER_EXCLUDES);
	assert_verdicts("", "any", "any", FILTER_SILENT);
	assert_verdicts("include x", "any", "any", FILTER_SILENT);
}

static void test_names(void **state)
{
	(void)state;
	assert_verdicts("EXCLUDE MANGLED _Z*\nINCLUDE a::b*", "a::b(int)", "_ZN1a1bEi",
			FILTER_INCLUDES);
	assert_verdicts("EXCLUDE MANGLED _Z*", "a::b(int)", "_ZN1a1bEi", FILTER_EXCLUDES);
	assert_verdicts("EXCLUDE _Z*", "a::b(int)", "_ZN1a1bEi", FILTER_SILENT);
	/* A new verb ends what MANGLED began. */
	assert_verdicts("EXCLUDE MANGLED q INCLUDE _Z*", "a::b(int)", "_ZN1a1bEi", FILTER_SILENT);
	assert_verdicts("EXCLUDE a::b(int,\\ char)", "a::b(int, char)", "m", FILTER_EXCLUDES);
	assert_verdicts("EXCLUDE operator\\*", "operator*", "m", FILTER_EXCLUDES);
	assert_verdicts("EXCLUDE operator\\*", "operatorX", "m", FILTER_SILENT);
	assert_verdicts("EXCLUDE f[0-9]", "f7", "m", FILTER_EXCLUDES);
}

static void assert_refused(const char *text, size_t size, const char *expected)
{
	struct function_filter *filter = NULL;
	struct problem problem = {""};

	assert_int_equal(function_filter_parse(text, size, "f", &filter, &problem), KYMO_ERROR);
	assert_null(filter);
	assert_string_equal(problem.text, expected);
}

static void test_refusals(void **state)
{
	(void)state;
	assert_refused("\nsolve", 6,
		       "filter file 'f', line 2: 'solve' is neither INCLUDE nor EXCLUDE");
	assert_refused("SCOREP_FILE_NAMES_BEGIN", 23,
		       "filter file 'f', line 1: 'SCOREP_FILE_NAMES_BEGIN' is not supported: rules "
		       "are about the names of functions");
	assert_refused("SCOREP_REGION_NAMES_BEGIN\n", 26,
		       "filter file 'f', line 2: 'SCOREP_REGION_NAMES_BEGIN' has no end");
	assert_refused("SCOREP_REGION_NAMES_END", 23,
		       "filter file 'f', line 1: 'SCOREP_REGION_NAMES_END' ends no block");
	assert_refused("a\0b", 3, "filter file 'f' is not text");
}

static void test_hash_tells_rules_apart(void **state)
{
	static const char *const texts[] = {"EXCLUDE a b", "EXCLUDE b a", "INCLUDE a b",
					    "EXCLUDE MANGLED a b", "EXCLUDE ab"};
	uint64_t hashes[5];

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct function_filter *filter = parsed(texts[i]);

		hashes[i] = function_filter_hash(filter);
		function_filter_free(filter);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(hashes[i], hashes[j]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last_rule_counts),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_hash_tells_rules_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
