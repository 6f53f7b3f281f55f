/* Rooms for stacks: each is one taker's alone, and there are no more than there are. */
#include "collectors/sampler/sampler_scratch.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int begin(void **state)
{
	(void)state;
	if (!buffers && !sampler_scratch_init())
		return -1;
	sampler_scratch_forked();
	return 0;
}

static void test_buffers_are_not_shared(void **state)
{
	struct sampler_scratch *got[BUFFERS];

	(void)state;
	for (unsigned i = 0; i < BUFFERS; i++) {
		got[i] = sampler_scratch_get();
		assert_non_null(got[i]);
		for (unsigned j = 0; j < i; j++)
			assert_ptr_not_equal(got[i], got[j]);
	}
	assert_null(sampler_scratch_get());
}

static void test_one_that_is_put_back_is_had_again(void **state)
{
	struct sampler_scratch *first = sampler_scratch_get(), *second = sampler_scratch_get();

	(void)state;
	sampler_scratch_put(first);
	assert_ptr_equal(sampler_scratch_get(), first); /* it is warm */
	sampler_scratch_put(second);
	assert_ptr_equal(sampler_scratch_get(), second);
}

/* Handlers that ran in the parent have no end in the child. */
static void test_a_child_has_all_of_them(void **state)
{
	(void)state;
	while (sampler_scratch_get())
		continue;
	sampler_scratch_forked();
	for (unsigned i = 0; i < BUFFERS; i++)
		assert_non_null(sampler_scratch_get());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_buffers_are_not_shared, begin),
		cmocka_unit_test_setup(test_one_that_is_put_back_is_had_again, begin),
		cmocka_unit_test_setup(test_a_child_has_all_of_them, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
