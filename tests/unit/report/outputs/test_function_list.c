/* Which regions functions.json holds where it cannot hold all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/outputs/function_list.h"
#include "report/report_fixture.h"

static bool has(const struct function_list *list, const char *name)
{
	for (uint32_t i = 0; i < list->regions->count; i++)
		if (strcmp(list->regions->regions[i]->name, name) == 0)
			return !function_list_is_left_out(list, i);
	fail_msg("no region '%s'", name);
	return false;
}

static void keep(struct function_list *list, const struct report_fixture *fixture, size_t count)
{
	function_list_keep(list, fixture->loaded->trees, fixture->loaded->tree_count, count);
}

static void test_all_at_first(void **state)
{
	struct report_fixture fixture;
	struct function_list list;

	(void)state;
	report_fixture_begin(&fixture, 1);
	function_list_init(&list, fixture.regions);
	assert_true(has(&list, "run") && has(&list, "load") && has(&list, "solve"));
	assert_int_equal(list.left_out, 0);
	report_fixture_release(&fixture);
}

/* Of their own lines load has 50 us, solve 30, run 20. */
static void test_those_with_the_most_time_of_their_own_are_kept(void **state)
{
	struct report_fixture fixture;
	struct function_list list;

	(void)state;
	report_fixture_begin(&fixture, 2);
	function_list_init(&list, fixture.regions);
	keep(&list, &fixture, 2);
	assert_true(has(&list, "load") && has(&list, "solve"));
	assert_false(has(&list, "run"));
	assert_int_equal(list.left_out, 1);
	keep(&list, &fixture, 1);
	assert_true(has(&list, "load"));
	assert_false(has(&list, "solve"));
	report_fixture_release(&fixture);
}

static void test_none_and_more_than_there_are(void **state)
{
	struct report_fixture fixture;
	struct function_list list;

	(void)state;
	report_fixture_begin(&fixture, 1);
	function_list_init(&list, fixture.regions);
	keep(&list, &fixture, 0);
	assert_false(has(&list, "load"));
	assert_int_equal(list.left_out, 3);
	keep(&list, &fixture, 100);
	assert_true(has(&list, "run"));
	assert_int_equal(list.left_out, 0);
	report_fixture_release(&fixture);
}

/* 80 us outside of any function take the place of none. */
static void test_the_root_is_no_function(void **state)
{
	struct synthetic *made = report_fixture_idle();
	struct report_fixture fixture;
	struct function_list list;

	(void)state;
	report_fixture_visit(made, report_fixture_region(made, "run", "/u/a.py", 1), 0, 20);
	synthetic_close(made, 100 * US);
	report_fixture_begin_one(&fixture, made);
	function_list_init(&list, fixture.regions);
	keep(&list, &fixture, 1);
	assert_true(has(&list, "run"));
	assert_int_equal(list.left_out, 0);
	report_fixture_release(&fixture);
}

/* Those with the same time: the first of them. */
static void test_ties(void **state)
{
	struct synthetic *made = report_fixture_idle();
	struct report_fixture fixture;
	struct function_list list;

	(void)state;
	report_fixture_visit(made, report_fixture_region(made, "a", "/u/a.py", 1), 0, 10);
	report_fixture_visit(made, report_fixture_region(made, "b", "/u/a.py", 2), 10, 20);
	synthetic_close(made, 20 * US);
	report_fixture_begin_one(&fixture, made);
	function_list_init(&list, fixture.regions);
	keep(&list, &fixture, 1);
	assert_true(has(&list, "a"));
	assert_false(has(&list, "b"));
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_at_first),
		cmocka_unit_test(test_those_with_the_most_time_of_their_own_are_kept),
		cmocka_unit_test(test_none_and_more_than_there_are),
		cmocka_unit_test(test_the_root_is_no_function),
		cmocka_unit_test(test_ties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
