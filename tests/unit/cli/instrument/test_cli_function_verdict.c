/* Every decision on a function has its word and its reason. */
#include "cli/instrument/function_verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_words_are_there_and_differ(void **state)
{
	(void)state;
	for (int i = 0; i < FUNCTION_VERDICTS; i++) {
		const char *word = function_verdict_word((enum function_verdict)i);

		assert_non_null(word);
		assert_non_null(
			function_verdict_text((enum function_verdict)i, (enum plan_reason)1));
		for (int k = 0; k < i; k++)
			assert_string_not_equal(word,
						function_verdict_word((enum function_verdict)k));
	}
}

static void test_who_is_taken(void **state)
{
	unsigned int taken = 0;

	(void)state;
	for (int i = 0; i < FUNCTION_VERDICTS; i++)
		taken += function_verdict_takes((enum function_verdict)i);
	assert_int_equal(taken, 3);
	assert_true(function_verdict_takes(FUNCTION_TAKEN));
	assert_true(function_verdict_takes(FUNCTION_INCLUDED));
	assert_false(function_verdict_takes(FUNCTION_EXCLUDED));
	assert_false(function_verdict_takes(FUNCTION_CANNOT));
}

static void test_linkage_and_visibility(void **state)
{
	struct plan_function function = {0};

	(void)state;
	function.flags = PLAN_FUNCTION_GLOBAL;
	assert_string_equal(function_linkage(&function), "unknown");
	assert_string_equal(function_visibility(&function), "unknown");
	function.flags |= PLAN_FUNCTION_NAMED;
	assert_string_equal(function_linkage(&function), "global");
	assert_string_equal(function_visibility(&function), "default");
	function.flags |= PLAN_FUNCTION_WEAK | PLAN_FUNCTION_PROTECTED;
	assert_string_equal(function_linkage(&function), "weak");
	assert_string_equal(function_visibility(&function), "protected");
	function.flags = PLAN_FUNCTION_NAMED | PLAN_FUNCTION_HIDDEN;
	assert_string_equal(function_linkage(&function), "local");
	assert_string_equal(function_visibility(&function), "hidden");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_are_there_and_differ),
		cmocka_unit_test(test_who_is_taken),
		cmocka_unit_test(test_linkage_and_visibility),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
