/* Lists of cores as people type them. */
#include "collectors/procstat/procstat_cores.c"

#include <stdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_cores(const char *list, const char *expected)
{
	char text[16] = "";

	assert_true(procstat_cores_choose(list));
	for (unsigned core = 0; core < 10; core++)
		sprintf(text + strlen(text), "%s", procstat_core_is_chosen(core) ? "x" : ".");
	assert_string_equal(text, expected);
}

static void test_lists(void **state)
{
	(void)state;
	assert_cores("", "xxxxxxxxxx");
	assert_cores("0,4-6", "x...xxx...");
	assert_cores(" 1; 3 ,", ".x.x......");
	assert_cores("5-4", "..........");
	assert_cores("8-99999999999", "........xx");
	assert_cores("4096", "..........");
	assert_cores("", "xxxxxxxxxx");
	assert_false(procstat_core_is_chosen(PROCSTAT_CORES_MAX));
}

static void test_what_is_no_list(void **state)
{
	static const char *const lists[] = {"x", "1-", "-1", "1,a", "1--2", "0x"};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		if (procstat_cores_choose(lists[i]))
			fail_msg("'%s'", lists[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_what_is_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
