/* What `kymo avail` lists: every row is whole, and says what the tables say. */
#include "cli/avail/avail_sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The row of this name; NULL = none. */
static const struct avail_row *row_of(const struct avail_list *list, const char *name)
{
	for (size_t i = 0; i < list->row_count; i++)
		if (strcmp(list->rows[i].cells[0], name) == 0)
			return &list->rows[i];
	return NULL;
}

static void assert_whole(struct avail_list *list)
{
	assert_false(list->has_failed);
	assert_true(list->row_count > 0 && list->title[0]);
	assert_true(list->column_count <= AVAIL_COLUMNS_MAX);
	for (size_t i = 0; i < list->row_count; i++) {
		assert_true(list->rows[i].cells[0][0]);
		assert_ptr_equal(row_of(list, list->rows[i].cells[0]), &list->rows[i]);
	}
}

static void test_settings(void **state)
{
	struct settings *settings = settings_new();
	struct avail_list all, few;

	(void)state;
	assert_int_equal(settings_set(settings, "TRACE", "on", SETTING_FROM_COMMAND, NULL),
			 KYMO_OK);
	avail_settings(&all, settings, true);
	avail_settings(&few, settings, false);
	assert_whole(&all);
	assert_whole(&few);
	assert_int_equal(all.row_count, SETTING_COUNT);
	assert_true(few.row_count < all.row_count);
	for (size_t i = 0; i < few.row_count; i++)
		assert_null(strstr(few.rows[i].cells[5], "advanced"));
	assert_string_equal(row_of(&few, "KYMO_TRACE")->cells[1], "ON");
	assert_string_equal(row_of(&few, "KYMO_TRACE")->cells[2], "bool");
	assert_string_equal(row_of(&all, "KYMO_OUTPUT_PATH")->cells[2], "string");
	avail_list_release(&all);
	avail_list_release(&few);
	settings_free(settings);
}

static void test_types_have_names(void **state)
{
	(void)state;
	assert_string_equal(avail_type_name(SETTING_INTEGER), "integer");
	assert_string_equal(avail_type_name(SETTING_NUMBER), "number");
	assert_string_equal(avail_type_name(SETTING_LIST), "list");
}

static void test_components(void **state)
{
	struct avail_list list;

	(void)state;
	avail_components(&list);
	assert_whole(&list);
	assert_string_equal(row_of(&list, "wall_clock")->cells[1], "true");
	assert_string_equal(row_of(&list, "wall_clock")->cells[6], "timing");
	assert_string_equal(row_of(&list, "peak_rss")->cells[6], "memory");
	assert_string_equal(row_of(&list, "trip_count")->cells[2], "integer");
	assert_string_equal(row_of(&list, "trip_count")->cells[6], "count");
	assert_string_equal(row_of(&list, "cpu_util")->cells[6], "timing,utilization");
	assert_string_equal(row_of(&list, "read_bytes")->cells[6], "io");
	avail_list_release(&list);
}

/* A key is shown with what it stands for only where that is asked for. */
static void test_keys(void **state)
{
	struct settings *settings = settings_new();
	struct avail_list list;
	char pid[32];

	(void)state;
	avail_keys(&list, settings, false);
	assert_false(list.has_failed);
	assert_int_equal(list.column_count, 3);
	avail_list_release(&list);
	avail_keys(&list, settings, true);
	assert_false(list.has_failed);
	assert_int_equal(list.column_count, 4);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	assert_string_equal(row_of(&list, "%pid%")->cells[2], pid);
	assert_string_equal(row_of(&list, "%argN%")->cells[2], "kymo-avail");
	avail_list_release(&list);
	settings_free(settings);
}

static void test_collectors_and_exporters(void **state)
{
	struct avail_list list;

	(void)state;
	avail_collectors(&list);
	assert_whole(&list);
	assert_string_equal(row_of(&list, "python.frame")->cells[4], "KYMO_PYTHON_INSTRUMENTER");
	assert_string_equal(row_of(&list, "sampler")->cells[3], "libkymo-sampler.so");
	assert_string_equal(row_of(&list, "sampler")->cells[5], "run");
	avail_list_release(&list);
	avail_exporters(&list);
	assert_whole(&list);
	assert_non_null(row_of(&list, "perfetto"));
	avail_list_release(&list);
}

static void test_not_built(void **state)
{
	struct avail_list list;

	(void)state;
	avail_not_built(&list);
	assert_whole(&list);
	assert_string_equal(row_of(&list, "--device")->cells[2], "a GPU collector");
	assert_string_equal(row_of(&list, "--include ompt")->cells[1], "word");
	assert_string_equal(row_of(&list, "tracing.legacy")->cells[1], "key of presets");
	assert_string_equal(row_of(&list, "--coverage")->cells[3], "kymo instrument");
	assert_false(list.rows[0].is_available);
	avail_list_release(&list);
}

static void test_categories_are_listed_once(void **state)
{
	struct avail_list list;

	(void)state;
	avail_categories(&list);
	assert_whole(&list);
	assert_string_equal(row_of(&list, "config")->cells[1], "settings");
	assert_string_equal(row_of(&list, "utilization")->cells[1], "components");
	avail_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_types_have_names),
		cmocka_unit_test(test_components),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_collectors_and_exporters),
		cmocka_unit_test(test_not_built),
		cmocka_unit_test(test_categories_are_listed_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
