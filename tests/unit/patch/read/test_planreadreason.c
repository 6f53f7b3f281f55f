/* Why functions are left alone, in words. */
#include "patch/plan/plan.h"
#include "patch/read/planreadreason.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void reasons_have_words(void **state)
{
	(void)state;
	for (enum plan_reason reason = PLAN_FINE + 1; reason < PLAN_REASONS; reason++) {
		assert_true(strlen(plan_reason_text(reason)) > 10);
		assert_string_not_equal(plan_reason_text(reason), "unknown");
	}
	assert_string_equal(plan_reason_text(PLAN_REASONS), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reasons_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
