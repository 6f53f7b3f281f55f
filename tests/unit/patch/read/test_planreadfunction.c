/* Which function of a plan an address lies in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "patch/plan/plan.h"
#include "patch/read/planreadfunction.h"

#define COUNT 5u

static const struct plan_function functions[COUNT] = {
	{.address = 0x1000, .size = 0x10},
	{.address = 0x1010, .size = 0x20},
	{.address = 0x2000, .size = 1},
	/* Loops of the first two. */
	{.address = 0x1004, .size = 4, .flags = PLAN_FUNCTION_LOOP},
	{.address = 0x1018, .size = 8, .flags = PLAN_FUNCTION_LOOP},
};

static uint64_t at(uint64_t count, uint64_t address)
{
	const struct plan_header header = {.function_count = count};
	const struct plan plan = {.header = &header, .functions = functions};

	return plan_function_at(&plan, address);
}

static void each_byte_is_its_functions_own(void **state)
{
	(void)state;
	for (uint64_t count = 3; count <= COUNT; count++) {
		assert_int_equal(at(count, 0x1000), 0);
		assert_int_equal(at(count, 0x1004), 0);
		assert_int_equal(at(count, 0x100f), 0);
		assert_int_equal(at(count, 0x1010), 1);
		assert_int_equal(at(count, 0x1018), 1);
		assert_int_equal(at(count, 0x102f), 1);
		assert_int_equal(at(count, 0x2000), 2);
	}
}

static void what_is_between_is_nobodys(void **state)
{
	static const uint64_t none[] = {0, 0xfff, 0x1030, 0x1fff, 0x2001, UINT64_MAX};

	(void)state;
	for (unsigned i = 0; i < sizeof(none) / sizeof(*none); i++) {
		assert_int_equal(at(0, none[i]), 0);
		assert_int_equal(at(3, none[i]), 3);
		assert_int_equal(at(COUNT, none[i]), COUNT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_byte_is_its_functions_own),
		cmocka_unit_test(what_is_between_is_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
