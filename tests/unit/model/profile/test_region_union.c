/* Regions of several recordings under common numbers. */
#include "model/profile/region_union.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct region first_regions[] = {
	{.kind = KYMO_REGION_ROOT, .name = "root"},
	{.kind = KYMO_REGION_PYTHON, .name = "f", .file = "a.py", .line = 3},
	{.kind = KYMO_REGION_PYTHON, .name = "f", .file = "b.py", .line = 3},
};
static struct region second_regions[] = {
	{.kind = KYMO_REGION_ROOT, .name = "root"},
	{.kind = KYMO_REGION_PYTHON, .name = "f", .file = "b.py", .line = 3},
	{.kind = KYMO_REGION_PYTHON, .name = "f", .file = "a.py", .line = 4},
	{.kind = KYMO_REGION_USER, .name = "f", .file = "a.py", .line = 3},
	{.kind = KYMO_REGION_PYTHON, .name = "f", .file = "a.py", .line = 3},
};

static void test_the_same_function_is_one_region(void **state)
{
	const struct recording first = {.regions = first_regions, .region_count = 3},
			       second = {.regions = second_regions, .region_count = 5};
	const struct calltree trees[] = {{.recording = &first}, {.recording = &second}};
	const struct calltree *const both[] = {&trees[0], &trees[1]};
	struct region_union *all;

	(void)state;
	assert_int_equal(region_union_new(both, 2, &all), KYMO_OK);
	assert_int_equal(all->count, 5 + 2);
	assert_int_equal(region_union_number(all, 0, 1), region_union_number(all, 1, 4));
	assert_int_equal(region_union_number(all, 0, 2), region_union_number(all, 1, 1));
	assert_int_equal(region_union_number(all, 0, 0), region_union_number(all, 1, 0));
	/* Another line or kind is another region. */
	assert_int_not_equal(region_union_number(all, 1, 2), region_union_number(all, 1, 4));
	assert_int_not_equal(region_union_number(all, 1, 3), region_union_number(all, 1, 4));
	for (uint32_t i = 0; i < 5; i++)
		assert_string_equal(all->regions[region_union_number(all, 1, i)]->name,
				    second_regions[i].name);
	assert_int_equal(all->regions[all->outside]->kind, KYMO_REGION_ROOT);
	assert_int_equal(all->regions[all->measuring]->kind, KYMO_REGION_ROOT);
	assert_int_not_equal(all->outside, all->measuring);
	region_union_free(all);
}

static void assert_place(const struct region *region, const char *expected)
{
	char text[64];

	assert_int_equal(region_location(region, text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
}

static void test_places(void **state)
{
	const struct region plain = {.name = "f", .file = "/home/me/a.py", .line = 12},
			    module = {.name = "f", .module = "os"}, none = {.name = "f"};

	(void)state;
	assert_place(&plain, "a.py:12");
	assert_place(&module, "os");
	assert_place(&none, "");
}

/* Names are any bytes: what is shown is UTF-8, whatever room there is. */
static void test_names_are_cut_between_characters(void **state)
{
	const struct region region = {.kind = KYMO_REGION_PYTHON, .name = "\u00e4\u00e4\xff"};
	char text[32];

	(void)state;
	for (size_t size = 1; size < sizeof(text); size++) {
		size_t length = region_name(&region, text, size), kept = strlen(text);

		assert_int_equal(length, 7); /* the last byte became U+FFFD */
		assert_true(kept < size);
		assert_int_equal(kept, size > 7 ? 7 : size > 4 ? 4 : (size - 1) / 2 * 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_function_is_one_region),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_names_are_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
