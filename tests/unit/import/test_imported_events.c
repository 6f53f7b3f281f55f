/* Events of imported threads: call paths follow from them, also from those that come late or nest
 * too deep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

static uint32_t only_thread(struct imported *imported)
{
	return imported_thread(imported, imported_process(imported, 7), 8);
}

static void test_events_make_call_paths(void **state)
{
	struct imported imported;
	uint32_t thread, f, g, outer, inner;

	(void)state;
	imported_init(&imported);
	thread = only_thread(&imported);
	f = imported_user(&imported, "f");
	g = imported_user(&imported, "g");
	imported_enter(&imported, thread, 100, f);
	imported_enter(&imported, thread, 110, g);
	assert_true(imported_leave(&imported, thread, 105)); /* late: counts as of 110 */
	imported_enter(&imported, thread, 120, g);
	assert_true(imported_leave(&imported, thread, 150));
	assert_true(imported_leave(&imported, thread, 200));
	assert_false(imported_leave(&imported, thread, 210));
	outer = imported_child(&imported, imported_root(&imported, thread), f);
	inner = imported_child(&imported, outer, g);
	assert_int_equal(imported.nodes[outer].count, 1);
	assert_int_equal((int)imported.nodes[outer].self_ns, 70);
	assert_int_equal(imported.nodes[inner].count, 2);
	assert_int_equal((int)imported.nodes[inner].self_ns, 30);
	assert_int_equal(imported.nodes[inner].min_ns, 0);
	assert_int_equal(imported.nodes[inner].max_ns, 30);
	assert_int_equal(imported.counts[COUNT_LATE_EVENTS], 1);
	assert_int_equal(imported.threads[thread].event_count, 6);
	imported_release(&imported);
}

static void test_too_deep_is_the_callers(void **state)
{
	struct imported imported;
	uint32_t thread, f;

	(void)state;
	imported_init(&imported);
	thread = only_thread(&imported);
	f = imported_user(&imported, "f");
	for (uint32_t i = 0; i < IMPORT_DEPTH_MAX + 10; i++)
		imported_enter(&imported, thread, i, f);
	while (imported_leave(&imported, thread, 2 * IMPORT_DEPTH_MAX))
		;
	assert_int_equal(imported.counts[COUNT_DEEP_FRAMES], 10);
	assert_int_equal(imported.node_count, IMPORT_DEPTH_MAX + 2);
	assert_int_equal(imported.threads[thread].event_count, 2 * IMPORT_DEPTH_MAX);
	imported_release(&imported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_make_call_paths),
		cmocka_unit_test(test_too_deep_is_the_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
