/* The stack of folded regions: exclusive times, a balance, and how far it was unwound. */
#include "runtime/store/fold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct kymo_node anchor = {.enter = 10}, nodes[2];
static struct kymo_thread_record record;
static struct kymo_thread thread = {.current = &anchor, .record = &record};

static int set_up(void **state)
{
	(void)state;
	memset(nodes, 0, sizeof(nodes));
	record.resynced = 0;
	thread.current = &anchor;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fold_release(&thread);
	return 0;
}

static void test_times_are_exclusive(void **state)
{
	(void)state;
	assert_false(fold_is_active(&thread));
	fold_enter(&thread, &nodes[0], 1, 100);
	assert_true(fold_is_active(&thread));
	assert_ptr_equal(fold_anchor(&thread), &anchor);
	fold_enter(&thread, &nodes[1], 2, 130);
	assert_int_equal(fold_depth(&thread), 2);
	assert_int_equal(fold_latest(&thread), 130);
	assert_true(fold_leave(&thread, 2, 170));
	assert_true(fold_leave(&thread, 1, 200));
	assert_false(fold_is_active(&thread));
	assert_ptr_equal(thread.current, &anchor);
	assert_int_equal(nodes[0].sum, 100 - 40);
	assert_int_equal(nodes[1].sum, 40);
	assert_int_equal(nodes[0].count, 1);
	assert_int_equal(record.resynced, 0);
}

static void test_leaving_what_is_further_out(void **state)
{
	(void)state;
	fold_enter(&thread, &nodes[0], 1, 100);
	fold_enter(&thread, &nodes[1], 2, 110);
	fold_enter(&thread, NULL, 3, 120); /* for its balance alone */
	assert_false(fold_leave(&thread, 9, 130));
	assert_int_equal(fold_depth(&thread), 3);
	assert_true(fold_leave(&thread, 1, 150));
	assert_int_equal(record.resynced, 2);
	assert_int_equal(nodes[1].sum, 40 - 30);
	assert_int_equal(nodes[0].sum, 50 - 40);
	assert_ptr_equal(thread.current, &anchor);
}

/* Deeper than the pages it began with. */
static void test_deep(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 5000; i++)
		fold_enter(&thread, &nodes[i % 2], 1 + i % 2, i);
	assert_int_equal(fold_depth(&thread), 5000);
	assert_int_equal(fold_latest(&thread), 4999);
	for (uint64_t i = 5000; i-- > 0;)
		assert_true(fold_leave(&thread, 1 + i % 2, 10000 - i));
	assert_ptr_equal(thread.current, &anchor);
	assert_int_equal(nodes[0].count + nodes[1].count, 5000);
	assert_int_equal(nodes[0].sum + nodes[1].sum, 10000); /* of the outermost one */
	assert_int_equal(record.resynced, 0);
}

static void test_unwinding(void **state)
{
	(void)state;
	fold_enter(&thread, &nodes[0], 1, 100);
	fold_enter(&thread, &nodes[1], 2, 110);
	fold_unwind(&thread, 120);
	assert_int_equal(fold_depth(&thread), 0);
	assert_false(fold_is_active(&thread));
	assert_int_equal(nodes[0].sum, 10);
	assert_int_equal(nodes[1].sum, 10);
	fold_release(&thread);
	fold_release(&thread);
	assert_null(thread.fold);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_times_are_exclusive, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_leaving_what_is_further_out, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_deep, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unwinding, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
