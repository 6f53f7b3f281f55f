/* Memory straight from the kernel. */
#include "base/pages.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void test_zeroed_and_aligned(void **state)
{
	const size_t size = 3 * 4096 + 1;
	unsigned char *memory = pages_new(size);

	(void)state;
	assert_non_null(memory);
	assert_int_equal((uintptr_t)memory % 4096, 0);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(memory[i], 0);
	memory[size - 1] = 1;
	pages_free(memory, size);
	pages_free(NULL, size);
}

static void test_refusals_keep_errno(void **state)
{
	(void)state;
	errno = E2BIG;
	assert_null(pages_new(SIZE_MAX / 2));
	assert_null(pages_new(0));
	assert_int_equal(errno, E2BIG);
}

/* System calls would end the process: what is there stays readable. */
static void test_frozen(void **state)
{
	char *memory = pages_new(4096);

	(void)state;
	assert_false(pages_are_frozen());
	memory[0] = 'x';
	pages_freeze(true);
	assert_true(pages_are_frozen());
	assert_null(pages_new(4096));
	pages_free(memory, 4096);
	assert_int_equal(memory[0], 'x');
	pages_freeze(false);
	pages_free(memory, 4096);
	memory = pages_new(4096);
	assert_non_null(memory);
	pages_free(memory, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zeroed_and_aligned),
		cmocka_unit_test(test_refusals_keep_errno),
		cmocka_unit_test(test_frozen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
