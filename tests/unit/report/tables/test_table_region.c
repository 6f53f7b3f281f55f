/* Regions in tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/tables/table_region.h"

struct region_row {
	uint32_t region;
};

static const struct table_column columns[] = {
	{"NAME", "name", TABLE_TEXT, TABLE_ALL,
	 TABLE_REGION(table_get_name, struct region_row, region)},
	{"REGION", "region", TABLE_TEXT, TABLE_ALL,
	 TABLE_REGION(table_get_region, struct region_row, region)},
	{"PLACE", "place", TABLE_TEXT, TABLE_ALL,
	 TABLE_REGION(table_get_location, struct region_row, region)},
	{"MODULE", "module", TABLE_TEXT, TABLE_ALL,
	 TABLE_REGION(table_get_module, struct region_row, region)},
	{"FILE", "file", TABLE_TEXT, TABLE_ALL,
	 TABLE_REGION(table_get_file, struct region_row, region)},
	{"LINE", "line", TABLE_ID, TABLE_ALL,
	 TABLE_REGION(table_get_region_line, struct region_row, region)},
};

static struct table_cell cell_of(uint32_t number, unsigned int column)
{
	static const struct region known = {.name = (char *)"f",
					    .module = (char *)"m",
					    .file = (char *)"/a/x.py",
					    .line = 12},
				   unknown = {.name = (char *)"g"};
	static const struct region *regions[] = {&known, &unknown};
	static const struct region_union all = {.regions = regions, .count = 2};
	static struct region_texts texts = {.regions = &all};
	const struct region_row row = {number};
	const struct table table = {TABLE_COLUMNS(columns), TABLE_ROWS(&row, 1), .view = &texts};

	return table_cell_of(&table, 0, &columns[column]);
}

static void test_a_region(void **state)
{
	(void)state;
	assert_string_equal(cell_of(0, 0).text, "f");
	assert_string_equal(cell_of(0, 1).text, "f  x.py:12");
	assert_string_equal(cell_of(0, 2).text, "x.py:12");
	assert_string_equal(cell_of(0, 3).text, "m");
	assert_string_equal(cell_of(0, 4).text, "/a/x.py");
	assert_int_equal(cell_of(0, 5).count, 12);
}

static void test_what_is_not_known_is_missing(void **state)
{
	(void)state;
	assert_string_equal(cell_of(1, 1).text, "g");
	for (unsigned int column = 2; column < 6; column++)
		assert_true(cell_of(1, column).is_missing);
}

static void test_no_region(void **state)
{
	(void)state;
	for (unsigned int column = 0; column < 6; column++)
		assert_true(cell_of(TABLE_NO_REGION, column).is_missing);
}

static void test_texts(void **state)
{
	const struct region placed = {
		.name = "f", .file = "/u/a.py", .line = 3, .kind = KYMO_REGION_PYTHON};
	const struct region nowhere = {.name = "g", .kind = KYMO_REGION_USER};
	char text[REPORT_NAME_MAX];

	(void)state;
	assert_string_equal(report_name_cell(&placed, true, text).text, "f  a.py:3");
	assert_string_equal(report_name_cell(&placed, false, text).text, "f");
	assert_string_equal(report_name_cell(&nowhere, true, text).text, "g");
	assert_string_equal(report_location_cell(&placed, text).text, "a.py:3");
	assert_true(report_location_cell(&nowhere, text).is_missing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_region),
		cmocka_unit_test(test_what_is_not_known_is_missing),
		cmocka_unit_test(test_no_region),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
