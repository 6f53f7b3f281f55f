/* Plans are the same, whatever made them. */
#include "patch/plan/planhalves.h"

#include "plan_code_fixture.h"

static void equal_input_gives_equal_plans(void **state)
{
	unsigned char *first;
	size_t size;

	(void)state;
	run_all(PATCH_COST_FULL, PLAN_WAY_EXITS);
	size = fixture.size;
	first = fixture.bytes;
	fixture.bytes = NULL;
	fixture_release(&fixture);
	run_all(PATCH_COST_FULL, PLAN_WAY_EXITS);
	assert_int_equal(fixture.size, size);
	assert_memory_equal(fixture.bytes, first, size);
	free(first);
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(equal_input_gives_equal_plans, put_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
