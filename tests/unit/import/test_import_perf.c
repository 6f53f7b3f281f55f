/* What perf script prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

#define HEAD "app 12/13 "

static void test_samples_of_a_clock_weigh_nanoseconds(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "perf",
			      HEAD "1.000001: 250 cpu-clock:u: \n"
				   "\t7f g+0x1 (/app)\n\t7e main+0x2 (/app)\n\n" HEAD
				   "1.000002: 500 cpu-clock:u: 7e main+0x9 (/app)\n");
	ASSERT_IMPORTED(&fixture, "main 1 500\nmain;g 1 250\n");
	assert_null(imported_note_value(&fixture.imported, "unit"));
	assert_int_equal(fixture.imported.threads[1].system_id, 13);
	assert_string_equal(fixture.imported.threads[1].name, "app");
	assert_int_equal(fixture.imported.threads[1].sample_count, 2);
	assert_int_equal(fixture.imported.threads[1].samples[0].begin_ns, 1000000750);
	assert_int_equal(fixture.imported.threads[1].samples[0].end_ns, 1000001000);
	imported_fixture_release(&fixture);
}

/* Weights are what the first event counts; others are metrics, and time is as long as between two.
 */
static void test_other_events_are_metrics(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "perf",
			      HEAD "1.000000: 10 cycles: 1 f (a)\n" HEAD
				   "1.000001: 7 cache-misses: 1 f (a)\n" HEAD
				   "1.000004: 20 cycles: 1 f (a)\n");
	ASSERT_IMPORTED(&fixture, "f 2 30\n");
	assert_string_equal(imported_note_value(&fixture.imported, "unit"), "cycles");
	assert_int_equal(fixture.imported.metric_count, 1);
	assert_string_equal(fixture.imported.metrics[0].name, "cache-misses");
	assert_int_equal(fixture.imported.threads[1].samples[1].begin_ns, 1000000000);
	assert_int_equal(fixture.imported.threads[1].first_ns, 999996000);
	imported_fixture_release(&fixture);
}

/* A clock behind other events is what weighs all the same. */
static void test_a_clock_is_looked_for(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "perf",
			      HEAD "1.1: 10 cycles: 1 f (a)\n" HEAD "1.2: 4 task-clock: 1 f (a)\n");
	ASSERT_IMPORTED(&fixture, "f 1 4\n");
	assert_string_equal(fixture.imported.metrics[0].name, "cycles");
	imported_fixture_release(&fixture);
}

static void test_trampolines_are_functions_of_python(void **state)
{
	struct imported_fixture fixture;
	const struct imported_function *region;

	(void)state;
	imported_fixture_read(&fixture, "perf",
			      HEAD "1.1: 5 cpu-clock: \n\t1 py::fib:/a/b.py (/tmp/perf-1.map)\n"
				   "\t2 py:::x (m)\n");
	ASSERT_IMPORTED(&fixture, "py:::x;fib 1 5\n");
	region = &fixture.imported.regions[1];
	assert_int_equal(region->kind, KYMO_REGION_PYTHON);
	assert_memory_equal(region->file.at, "/a/b.py", 8);
	assert_int_equal(region->module.size, 0);
	imported_fixture_release(&fixture);
}

static void test_samples_without_stacks(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "perf",
			      "# cmdline : /usr/bin/perf record ./app --password=hush\n" HEAD
			      "1.1: 5 cpu-clock: \n" HEAD "1.2: 6 cpu-clock: \n");
	ASSERT_IMPORTED(&fixture, "[unknown] 2 11\n");
	assert_null(strstr(imported_note_value(&fixture.imported, "command"), "hush"));
	imported_fixture_release(&fixture);
}

static void test_what_perf_does_not_print(void **state)
{
	(void)state;
	assert_refused("perf", "", "it has no samples");
	assert_refused("perf", HEAD "1.1: 5 cpu-clock: \nnonsense\n",
		       "line 2 is neither a sample nor a frame");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_of_a_clock_weigh_nanoseconds),
		cmocka_unit_test(test_other_events_are_metrics),
		cmocka_unit_test(test_a_clock_is_looked_for),
		cmocka_unit_test(test_trampolines_are_functions_of_python),
		cmocka_unit_test(test_samples_without_stacks),
		cmocka_unit_test(test_what_perf_does_not_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
