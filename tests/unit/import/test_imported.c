/* What importers fill: processes, threads, regions and call paths are found again, texts are
 * bounded. */
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

static void test_what_is_the_same_is_found_again(void **state)
{
	struct imported imported;
	uint32_t thread, f, root;

	(void)state;
	imported_init(&imported);
	thread = only_thread(&imported);
	assert_int_equal(only_thread(&imported), thread);
	assert_int_not_equal(imported_thread(&imported, imported_process(&imported, 9), 8), thread);
	f = imported_user(&imported, "f");
	assert_int_equal(imported_user(&imported, "f"), f);
	assert_int_not_equal(imported_user(&imported, "g"), f);
	root = imported_root(&imported, thread);
	assert_int_equal(imported_child(&imported, root, f), imported_child(&imported, root, f));
	assert_int_not_equal(imported_child_new(&imported, root, f),
			     imported_child(&imported, root, f));
	imported_release(&imported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_the_same_is_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
