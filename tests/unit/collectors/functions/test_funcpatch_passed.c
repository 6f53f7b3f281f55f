/* Modules that were looked at and passed over. */
#include "collectors/functions/modules/funcpatch_passed.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int begin(void **state)
{
	(void)state;
	funcpatch_pass_none();
	return 0;
}

static void test_each_once(void **state)
{
	(void)state;
	assert_false(funcpatch_is_passed(7));
	funcpatch_pass(7);
	funcpatch_pass(7);
	assert_true(funcpatch_is_passed(7));
	assert_false(funcpatch_is_passed(8));
	assert_int_equal(passed_count, 1);
	funcpatch_pass_none();
	assert_false(funcpatch_is_passed(7));
}

/* Beyond that they are looked at again and again, which is slow and right. */
static void test_too_many(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 2 * PASSED_MAX; i++)
		funcpatch_pass(i);
	assert_int_equal(passed_count, PASSED_MAX);
	assert_true(funcpatch_is_passed(PASSED_MAX - 1));
	assert_false(funcpatch_is_passed(PASSED_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_each_once, begin),
		cmocka_unit_test_setup(test_too_many, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
