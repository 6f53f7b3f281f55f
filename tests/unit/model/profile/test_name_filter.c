/* Choosing regions by what a user typed. */
#include "model/profile/name_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct region regions[] = {
	{.kind = KYMO_REGION_ROOT, .name = "solve"},
	{.kind = KYMO_REGION_PYTHON, .name = "solve", .qualname = "Grid.solve", .file = "g.py"},
	{.kind = KYMO_REGION_PYTHON, .name = "run", .qualname = "run", .file = "solve.py"},
	{.kind = KYMO_REGION_USER, .name = "tab\there"},
};
#define COUNT (sizeof(regions) / sizeof(*regions))

static struct region_union all_regions(const struct region *all[COUNT])
{
	for (size_t i = 0; i < COUNT; i++)
		all[i] = &regions[i];
	return (struct region_union){.regions = all, .count = COUNT};
}

static void test_expressions(void **state)
{
	struct problem problem = {""};
	struct name_filter filter;

	(void)state;
	assert_int_equal(name_filter_init(&filter, "^Grid", &problem), KYMO_OK);
	assert_true(name_filter_accepts(&filter, &regions[1]));
	assert_false(name_filter_accepts(&filter, &regions[2]));
	name_filter_release(&filter);
	assert_int_equal(name_filter_init(&filter, "so+lve|here$", &problem), KYMO_OK);
	assert_true(name_filter_accepts(&filter, &regions[1]));
	assert_true(name_filter_accepts(&filter, &regions[3]));
	assert_false(name_filter_accepts_text(&filter, "run"));
	name_filter_release(&filter);
	assert_int_equal(name_filter_init(&filter, NULL, &problem), KYMO_OK);
	assert_true(name_filter_accepts(&filter, &regions[2]));
	name_filter_release(&filter);
}

static void test_bad_expressions_say_why(void **state)
{
	struct problem problem = {""};
	struct name_filter filter;

	(void)state;
	assert_int_equal(name_filter_init(&filter, "a(b", &problem), KYMO_USAGE);
	assert_non_null(strstr(problem.text, "'a(b'"));
	assert_false(filter.has_expression);
	name_filter_release(&filter);
}

static void assert_marks(const char *name, bool second, bool third, bool fourth)
{
	const struct region *borrowed[COUNT];
	struct region_union all = all_regions(borrowed);
	struct problem problem = {""};
	bool *marks;

	assert_int_equal(name_find(&all, name, &marks, &problem), KYMO_OK);
	assert_false(marks[0]); /* what is no region has no name of its own */
	assert_int_equal(marks[1], second);
	assert_int_equal(marks[2], third);
	assert_int_equal(marks[3], fourth);
	free(marks);
}

static void test_one_name(void **state)
{
	(void)state;
	assert_marks("solve", true, false, false);
	assert_marks("Grid.solve", true, false, false);
	assert_marks("run", false, true, false);
	assert_marks("tab\there", false, false, true);
	assert_marks("tab\\there", false, false, true); /* as it is shown */
}

static void test_the_nearest_is_named(void **state)
{
	const struct region *borrowed[COUNT];
	struct region_union all = all_regions(borrowed);
	struct problem problem = {""};
	bool *marks = NULL;

	(void)state;
	assert_int_equal(name_find(&all, "Grid.slove", &marks, &problem), KYMO_USAGE);
	assert_non_null(strstr(problem.text, "did you mean 'Grid.solve'?"));
	assert_int_equal(name_find(&all, "xyzzy", &marks, &problem), KYMO_USAGE);
	assert_non_null(strstr(problem.text, "--filter"));
	assert_null(marks);
	assert_string_equal(name_nearest(&all, "rum"), "run");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_bad_expressions_say_why),
		cmocka_unit_test(test_one_name),
		cmocka_unit_test(test_the_nearest_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
