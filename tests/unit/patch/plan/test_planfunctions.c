/* Functions that are left alone. */
#include "patch/plan/planmake.h"

#include "plan_code_fixture.h"

static void what_cannot_be_moved_is_left(void **state)
{
	(void)state;
	fill(PLAN_WAY_EXITS);
	fixture.functions[CALLS].has_handlers = true; /* a call in front of a handler */
	fixture_apply(&fixture, PATCH_COST_FULL, false);
	assert_int_equal(fixture.plan.functions[CALLS].way, PLAN_WAY_NONE);
	assert_int_equal(fixture.plan.functions[CALLS].reason, PLAN_NOT_MOVABLE);
	assert_int_equal(fixture.plan.header->reasons[PLAN_NOT_MOVABLE], 1);
	check_results();
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_cannot_be_moved_is_left, put_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
