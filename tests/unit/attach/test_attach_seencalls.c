/* Calls that were seen for certain: kept, told apart, and bounded. */
#include "attach/python/seencalls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct pycall call_of(uint64_t caller, uint64_t callee, uint32_t offset)
{
	return (struct pycall){
		.caller = 0x7f0000000000u + caller * 16, .callee = callee * 16, .offset = offset};
}

static void test_calls_are_told_apart(void **state)
{
	struct seencalls calls = {0};

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		const struct pycall call = call_of(i, i + 1, i % 7);

		assert_false(seencalls_has(&calls, &call));
		seencalls_add(&calls, &call, 0);
		assert_true(seencalls_has(&calls, &call));
	}
	for (unsigned i = 0; i < 1000; i++) {
		const struct pycall other[] = {call_of(i + 1, i, i % 7),
					       call_of(i, i + 1, i % 7 + 1),
					       call_of(i, i + 2, i % 7)};

		for (int k = 0; k < 3; k++)
			assert_false(seencalls_has(&calls, &other[k]));
	}
	seencalls_release(&calls);
}

static void test_distances(void **state)
{
	const struct pycall first = call_of(1, 2, 3), second = call_of(1, 4, 5);
	struct seencalls calls = {0};

	(void)state;
	seencalls_add(&calls, &first, 0);
	assert_int_equal(seencalls_distance(&calls, first.caller), 0);
	seencalls_add(&calls, &second, 96);
	assert_int_equal(seencalls_distance(&calls, first.caller), 96);
	assert_int_equal(seencalls_distance(&calls, first.callee), 0);
	seencalls_release(&calls);
}

static void test_a_program_of_endless_calls(void **state)
{
	struct seencalls calls = {0};
	struct pycall call;

	(void)state;
	for (unsigned i = 0; i < 300000; i++) {
		call = call_of(i, 1, 0);
		seencalls_add(&calls, &call, 64);
		assert_true(seencalls_has(&calls, &call));
	}
	assert_in_range(calls.calls.count, 1, 65536);
	assert_in_range(calls.distances.count, 1, 65536);
	seencalls_release(&calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_are_told_apart),
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_a_program_of_endless_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
