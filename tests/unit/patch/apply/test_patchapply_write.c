/* What is not written: other bytes, and what is not code. */
#include "patch/apply/patchapply.h"

#include "patch/apply/patchapply_write.h"
#include "patchapply_fixture.h"

static void test_other_bytes_are_left_alone(void **unused)
{
	struct made *made = make(0);
	uint64_t count;

	(void)unused;
	made->writes[0].before[3] ^= 1;
	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	assert_int_equal(patchapply_write(&made->applied, NULL, true, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(call(made, 0), 40);
	assert_int_equal(call(made, 1), 7);
	drop(made);
}

static void test_what_is_not_code_is_not_written(void **unused)
{
	struct made *made = make(0);
	uint64_t count;

	(void)unused;
	assert_int_equal(mprotect(made->text, PAGE, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	assert_int_equal(patchapply_write(&made->applied, NULL, true, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(made->text[0], 0xb8);
	drop(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_bytes_are_left_alone),
		cmocka_unit_test(test_what_is_not_code_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
