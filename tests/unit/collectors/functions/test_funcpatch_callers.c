/* The table of callers: one record for each function and return address. */
#include "collectors/functions/records/funcpatch_callers.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/chunk_fixture.h"
#include "collectors/functions/modules/funcpatch_module.h"

#define CALLERS 2000u

static struct callers callers;
/* A stack of one return address, with what lies in front of it. */
static uint64_t stack[4];
static uint64_t floor_at = UINT64_MAX;

uint64_t funcpatch_shadow_floor(void)
{
	return floor_at;
}

const struct funcpatch_module *funcpatch_module_at(uint64_t address)
{
	(void)address;
	return NULL;
}

bool funcpatch_is_return_point(uint64_t address)
{
	(void)address;
	return false;
}

static int begin(void **state)
{
	(void)state;
	memset(&callers, 0, sizeof(callers));
	return 0;
}

static int end(void **state)
{
	(void)state;
	callers_release(&callers);
	chunks_release();
	return 0;
}

static uint64_t slot_of(uint64_t address)
{
	uint64_t slot = (uint64_t)(uintptr_t)&stack[2];

	*(uint64_t *)(uintptr_t)(slot + (uint64_t)PATCH_RETURN_AT) = address;
	return slot;
}

static struct kymo_timed_caller *find(uint32_t id, uint64_t address)
{
	while (callers_need_space(&callers) && callers.capacity < 4 * CALLERS)
		callers_reserve(&callers, NULL);
	return callers_find(&callers, id, slot_of(address));
}

static void test_without_room(void **state)
{
	(void)state;
	assert_null(callers_find(&callers, 1, slot_of(10)));
	assert_null(callers_known(&callers, 1, slot_of(10)));
	assert_true(callers_need_space(&callers));
	chunks_allowed = 0;
	callers_reserve(&callers, NULL);
	assert_null(callers_find(&callers, 1, slot_of(10)));
	assert_true(callers_need_space(&callers)); /* it will be asked for again */
}

static void test_one_for_each_function_and_address(void **state)
{
	struct kymo_timed_caller *first = find(1, 100);

	(void)state;
	assert_int_equal(first->id, 1);
	assert_int_equal(first->return_address, 100);
	assert_ptr_not_equal(find(1, 101), first);
	assert_ptr_not_equal(find(2, 100), first);
	assert_ptr_equal(find(1, 100), first);
	assert_ptr_equal(callers_known(&callers, 1, slot_of(100)), first);
	assert_null(callers_known(&callers, 3, slot_of(100)));
	assert_int_equal(callers.count, 3);
}

static void test_records_stay_where_they_are_while_it_grows(void **state)
{
	static struct kymo_timed_caller *records[CALLERS];

	(void)state;
	for (uint32_t i = 0; i < CALLERS; i++) {
		records[i] = find(i % 7, 1000 + i);
		assert_non_null(records[i]);
	}
	for (uint32_t i = 0; i < CALLERS; i++)
		assert_ptr_equal(find(i % 7, 1000 + i), records[i]);
	assert_int_equal(callers.count, CALLERS);
	assert_true(chunks_given[1]->size > chunks_given[0]->size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_without_room, begin, end),
		cmocka_unit_test_setup_teardown(test_one_for_each_function_and_address, begin, end),
		cmocka_unit_test_setup_teardown(test_records_stay_where_they_are_while_it_grows,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
