/* Loops that lead to a function's entry. */
#include "patch/plan/x86_64/planloops.h"

#include "plan_code_fixture.h"

static void loops_to_the_entry_are_not_calls(void **state)
{
	(void)state;
	for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_CALL; way++) {
		int result;

		fill(way);
		fixture_apply(&fixture, PATCH_COST_FULL, false);
		result = ((int (*)(long))(uintptr_t)loops)(10);
		(void)result; /* rax came in as it was */
		assert_string_equal(fixture_text(), "+5 -");
		fixture_reset();
		RUN(counted, 0, 0);
		assert_string_equal(fixture_text(), "+4 -");
		fixture_release(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(loops_to_the_entry_are_not_calls, put_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
