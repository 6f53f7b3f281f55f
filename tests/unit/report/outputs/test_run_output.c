/* The output files of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/outputs/run_output.h"
#include "report/outputs/run_output_name.h"
#include "report_output_fixture.h"

static void test_most_bytes(void **state)
{
	struct settings *settings = settings_new();
	struct problem problem;

	(void)state;
	assert_int_equal(
		settings_set(settings, "OUTPUT_LIMIT_MB", "-1", SETTING_FROM_COMMAND, &problem),
		KYMO_OK);
	assert_int_equal(run_output_most_bytes(settings, 2000000), 7000000);
	assert_true(run_output_most_bytes(settings, UINT64_MAX / 2) == UINT64_MAX);
	assert_int_equal(
		settings_set(settings, "OUTPUT_LIMIT_MB", "0", SETTING_FROM_COMMAND, &problem),
		KYMO_OK);
	assert_true(run_output_most_bytes(settings, 2000000) == UINT64_MAX);
	assert_int_equal(
		settings_set(settings, "OUTPUT_LIMIT_MB", "3", SETTING_FROM_COMMAND, &problem),
		KYMO_OK);
	assert_int_equal(run_output_most_bytes(settings, 2000000), 3 << 20);
	settings_free(settings);
}

static void test_names(void **state)
{
	struct report_output_fixture fixture;
	char *name, expected[64];

	(void)state;
	report_output_fixture_begin(&fixture, 2);
	report_output_fixture_set(&fixture, "USE_PID", "ON");
	name = run_output_name(&fixture.output, fixture.output.loaded->trees[1], "wall_clock",
			       "txt");
	snprintf(expected, sizeof(expected), "%s/wall_clock-41.txt", fixture.folder);
	assert_string_equal(name, expected);
	free(name);
	report_output_fixture_set(&fixture, "USE_PID", "OFF");
	name = run_output_name(&fixture.output, fixture.output.loaded->trees[1], "wall_clock",
			       "txt");
	snprintf(expected, sizeof(expected), "%s/wall_clock.txt", fixture.folder);
	assert_string_equal(name, expected);
	free(name);
	report_output_fixture_release(&fixture);
}

static void test_files_of_a_run(void **state)
{
	struct report_output_fixture fixture;

	(void)state;
	report_output_fixture_begin(&fixture, 1);
	report_output_fixture_set(&fixture, "USE_PID", "OFF");
	report_output_fixture_set(&fixture, "TIMEMORY_COMPONENTS", "wall_clock");
	report_output_fixture_set(&fixture, "TREE_OUTPUT", "OFF");
	run_output_write(&fixture.output, &fixture.sum);
	assert_int_equal(fixture.failed_count, 0);
	assert_int_equal(fixture.announced_count, 4);
	assert_int_equal(fixture.sum.bytes,
			 report_output_fixture_size(&fixture, "wall_clock.txt") +
				 report_output_fixture_size(&fixture, "wall_clock.json") +
				 report_output_fixture_size(&fixture, "functions.json") +
				 report_output_fixture_size(&fixture, "metadata.json"));
	assert_false(fixture.sum.is_part);
	report_output_fixture_release(&fixture);
}

static void test_files_of_every_process(void **state)
{
	struct report_output_fixture fixture;

	(void)state;
	report_output_fixture_begin(&fixture, 2);
	report_output_fixture_set(&fixture, "USE_PID", "ON");
	report_output_fixture_set(&fixture, "TIMEMORY_COMPONENTS", "trip_count");
	report_output_fixture_set(&fixture, "JSON_OUTPUT", "OFF");
	report_output_fixture_set(&fixture, "TREE_OUTPUT", "OFF");
	run_output_write(&fixture.output, &fixture.sum);
	assert_true(report_output_fixture_size(&fixture, "trip_count-40.txt") > 0);
	assert_true(report_output_fixture_size(&fixture, "trip_count-41.txt") > 0);
	assert_int_equal(fixture.announced_count, 4);
	report_output_fixture_release(&fixture);
}

/* What is too large is left out, and that is told. */
static void test_no_room(void **state)
{
	struct report_output_fixture fixture;

	(void)state;
	report_output_fixture_begin(&fixture, 1);
	report_output_fixture_set(&fixture, "USE_PID", "OFF");
	fixture.output.most_bytes = 10;
	run_output_write(&fixture.output, &fixture.sum);
	assert_true(fixture.sum.is_part);
	assert_int_equal(fixture.sum.bytes, 0);
	assert_int_equal(report_output_fixture_size(&fixture, "metadata.json"), -1);
	assert_int_equal(fixture.failed_count, 0);
	report_output_fixture_release(&fixture);
}

static void test_no_files(void **state)
{
	struct report_output_fixture fixture;

	(void)state;
	report_output_fixture_begin(&fixture, 1);
	report_output_fixture_set(&fixture, "FILE_OUTPUT", "OFF");
	run_output_write(&fixture.output, &fixture.sum);
	assert_int_equal(fixture.announced_count, 0);
	assert_int_equal(fixture.sum.bytes, 0);
	report_output_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_most_bytes),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_files_of_a_run),
		cmocka_unit_test(test_files_of_every_process),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_no_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
