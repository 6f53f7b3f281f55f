/* Ways out of functions, and calls through a shadow stack. */
#include "patch/plan/planemit.h"

#include "plan_code_fixture.h"

static void calls_through_tell_both(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COARSE; cost <= PATCH_COST_FULL; cost++) {
		run_all(cost, PLAN_WAY_CALL);
		/* one that ends by a jump to another ends with it */
		assert_string_equal(fixture_text(), "+0 - +1 +0 - - +2 - +3 +0 - +3 +0 - +3 - "
						    "+8 +7 - - +9 +1 +0 - - +11 +10 - +11 -");
		assert_int_equal(fixture_slow_count, 0);
		fixture_release(&fixture);
	}
}

static void calls_that_are_not_wanted_are_not_called_through(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COUNTS; cost <= PATCH_COST_FULL; cost++) {
		fill(PLAN_WAY_CALL);
		fixture_apply(&fixture, cost, false);
		fixture_pause(PATCH_STATE_INSIDE);
		memset(fixture_left, 0, sizeof(fixture_left));
		check_results();
		for (unsigned i = 0; i < fixture_slow_count; i++)
			assert_false(fixture_slow[i].is_exit);
		fixture_release(&fixture);
	}
}

static void stacks_without_second_place_are_not_called_through(void **state)
{
	(void)state;
	fill(PLAN_WAY_CALL);
	fixture_apply(&fixture, PATCH_COST_FULL, false);
	((struct patch_vector *)fixture.plan.header->vector_address)->shadow_start = UINT64_MAX;
	check_results();
	assert_string_equal(fixture_text(),
			    "+0 +1 +0 +2 +3 +0 +3 +0 +3 +8 +7 +9 +1 +0 +11 +10 +11");
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(calls_through_tell_both, put_back),
		cmocka_unit_test_teardown(calls_that_are_not_wanted_are_not_called_through,
					  put_back),
		cmocka_unit_test_teardown(stacks_without_second_place_are_not_called_through,
					  put_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
