/* The list that debuggers walk: each module's object while its trampolines are there. */
#include "collectors/functions/attach/funcpatch_debugger.c"
#include "collectors/functions/modules/funcpatch_module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct funcpatch_module funcpatch_modules[FUNCPATCH_MODULES_MAX];

static char objects[3];

static int begin(void **state)
{
	(void)state;
	memset(funcpatch_modules, 0, 3 * sizeof(*funcpatch_modules));
	memset(entries, 0, sizeof(entries));
	debugger_list.first = NULL;
	for (unsigned i = 0; i < 3; i++) {
		funcpatch_modules[i].applied.object = &objects[i];
		funcpatch_modules[i].applied.object_size = 1 + i;
		funcpatch_debugger_add(&funcpatch_modules[i]);
	}
	return 0;
}

/* Both ways are the same list. */
static unsigned length(void)
{
	const struct debugger_entry *before = NULL;
	unsigned count = 0;

	for (const struct debugger_entry *at = debugger_list.first; at; at = at->next) {
		assert_ptr_equal(at->previous, before);
		before = at;
		count++;
	}
	return count;
}

static void test_the_latest_is_first(void **state)
{
	(void)state;
	assert_int_equal(length(), 3);
	assert_ptr_equal(debugger_list.first->object, &objects[2]);
	assert_int_equal(debugger_list.first->size, 3);
	assert_int_equal(debugger_list.version, 1);
	assert_int_equal(debugger_list.action, ACTION_NONE);
	assert_ptr_equal(&exported_list, &debugger_list);
}

static void test_removed_from_anywhere(void **state)
{
	(void)state;
	funcpatch_debugger_remove(&funcpatch_modules[1]); /* the middle */
	assert_int_equal(length(), 2);
	funcpatch_debugger_remove(&funcpatch_modules[1]); /* is gone already */
	assert_int_equal(length(), 2);
	funcpatch_debugger_remove(&funcpatch_modules[2]); /* the first */
	assert_int_equal(length(), 1);
	assert_ptr_equal(debugger_list.first->object, &objects[0]);
	funcpatch_debugger_remove(&funcpatch_modules[0]);
	assert_int_equal(length(), 0);
}

static void test_a_module_comes_again(void **state)
{
	(void)state;
	funcpatch_debugger_remove(&funcpatch_modules[0]);
	funcpatch_debugger_add(&funcpatch_modules[0]);
	assert_int_equal(length(), 3);
	funcpatch_modules[5].applied.object = NULL; /* without one there is nothing to tell */
	funcpatch_debugger_add(&funcpatch_modules[5]);
	assert_int_equal(length(), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_the_latest_is_first, begin),
		cmocka_unit_test_setup(test_removed_from_anywhere, begin),
		cmocka_unit_test_setup(test_a_module_comes_again, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
