/* Room near a module. */
#include "platform/code/codespace.h"

#include "codefixture.h"

static void test_gaps(void **unused)
{
	struct space_request request = {.size = 16 * PAGE};
	uint64_t own = (uint64_t)(uintptr_t)test_gaps, at;

	(void)unused;
	request.near = own;
	request.low = own - (UINT64_C(1) << 30);
	request.high = own + (UINT64_C(1) << 30);
	at = space_reserve(&request);
	assert_true(at >= request.low && at + request.size <= request.high);
	assert_int_equal(protection_of((void *)(uintptr_t)at), PROT_NONE);
	assert_false(space_reserve_at(at, PAGE));
	munmap((void *)(uintptr_t)at, request.size);
	assert_true(space_reserve_at(at, PAGE));
	munmap((void *)(uintptr_t)at, PAGE);
	request.low = request.high = 0;
	assert_int_equal(space_reserve(&request), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
