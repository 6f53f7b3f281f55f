/* What an exporter reads: samples before the selection, and nothing held after a refusal. */
#include "export/export_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "exported.h"
#include "model/recording/recording_open.h"

struct opened {
	struct synthetic *made;
	struct recording *recordings[1];
	struct run run;
};

static void opened_new(struct opened *opened, struct synthetic *made)
{
	opened->made = made;
	opened->recordings[0] = synthetic_open(made);
	opened->run = (struct run){
		.path = (char *)"some-run", .recordings = opened->recordings, .recording_count = 1};
}

static void opened_release(struct opened *opened)
{
	recording_free(opened->recordings[0]);
	synthetic_free(opened->made);
}

/* The region of a name among all that the recording has; UINT32_MAX = none. */
static uint32_t region_named(const struct recording *recording, const char *name)
{
	for (uint32_t i = 0; i < recording->region_count; i++)
		if (strcmp(recording->regions[i].name, name) == 0)
			return i;
	return UINT32_MAX;
}

static void test_regions_of_samples_are_selected_among(void **state)
{
	struct export_options options = EXPORT_OPTIONS_DEFAULT;
	struct export_source source;
	struct opened opened;
	const bool *regions;

	(void)state;
	opened_new(&opened, exported_overflows());
	options.filter = "work";
	assert_int_equal(export_source_open(&source, &opened.run, &options, true, NULL), KYMO_OK);
	assert_int_equal(source.samples.count, 1);
	assert_non_null(source.samples.items[0].samples);
	regions = selection_regions(&source.selection, 0);
	assert_non_null(regions);
	assert_true(regions[region_named(opened.recordings[0], "work")]);
	assert_false(regions[region_named(opened.recordings[0], "main")]);
	export_source_close(&source);
	opened_release(&opened);
}

static void test_only_what_stands_in_for_calls_replaces_them(void **state)
{
	const struct export_options options = EXPORT_OPTIONS_DEFAULT;
	struct export_source source;
	struct opened opened;

	(void)state;
	opened_new(&opened, exported_overflows());
	for (int only_alone = 0; only_alone < 2; only_alone++) {
		assert_int_equal(
			export_source_open(&source, &opened.run, &options, only_alone, NULL),
			KYMO_OK);
		assert_ptr_equal(source.selection.instead, only_alone ? &source.samples : NULL);
		export_source_close(&source);
	}
	opened_release(&opened);
}

static void test_refused_selection_leaves_nothing_open(void **state)
{
	struct export_options options = EXPORT_OPTIONS_DEFAULT;
	struct problem problem = {{0}};
	struct export_source source;
	struct opened opened;

	(void)state;
	opened_new(&opened, exported_overflows());
	options.filter = "(";
	assert_int_equal(export_source_open(&source, &opened.run, &options, true, &problem),
			 KYMO_USAGE);
	assert_string_not_equal(problem.text, "");
	/* It can be opened again. */
	options.filter = NULL;
	assert_int_equal(export_source_open(&source, &opened.run, &options, true, &problem),
			 KYMO_OK);
	export_source_close(&source);
	opened_release(&opened);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_regions_of_samples_are_selected_among),
		cmocka_unit_test(test_only_what_stands_in_for_calls_replaces_them),
		cmocka_unit_test(test_refused_selection_leaves_nothing_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
