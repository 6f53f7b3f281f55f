/* Modules that were checked and are skipped. */
#include "collectors/functions/modules/funcpatch_skipped.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int begin(void **state)
{
	(void)state;
	funcpatch_skip_none();
	return 0;
}

static void test_each_once(void **state)
{
	(void)state;
	assert_false(funcpatch_is_skipped(7));
	funcpatch_skip(7);
	funcpatch_skip(7);
	assert_true(funcpatch_is_skipped(7));
	assert_false(funcpatch_is_skipped(8));
	assert_int_equal(skipped_count, 1);
	funcpatch_skip_none();
	assert_false(funcpatch_is_skipped(7));
}

/* Beyond that they are looked at again and again, which is slow and right. */
static void test_too_many(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 2 * SKIPPED_MAX; i++)
		funcpatch_skip(i);
	assert_int_equal(skipped_count, SKIPPED_MAX);
	assert_true(funcpatch_is_skipped(SKIPPED_MAX - 1));
	assert_false(funcpatch_is_skipped(SKIPPED_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_each_once, begin),
		cmocka_unit_test_setup(test_too_many, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
