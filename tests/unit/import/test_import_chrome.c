/* Traces of Chrome and viztracer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

static void test_complete_events_and_begins(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(
		&fixture, "chrome",
		"[{\"ph\":\"X\",\"ts\":0,\"dur\":10.5,\"pid\":1,\"tid\":2,\"name\":\"f (a.py:3)\"},"
		"{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":2,\"name\":\"g\"},"
		"{\"ph\":\"B\",\"ts\":4,\"pid\":1,\"tid\":3,\"name\":\"h\"},"
		"{\"ph\":\"E\",\"ts\":6,\"pid\":1,\"tid\":3}]");
	ASSERT_IMPORTED(&fixture, "f 1 8500\nf;g 1 2000\nh 1 2000\n");
	assert_int_equal(fixture.imported.thread_count, 2);
	assert_int_equal(fixture.imported.regions[1].kind, KYMO_REGION_PYTHON);
	assert_int_equal(fixture.imported.regions[1].line, 3);
	imported_fixture_release(&fixture);
}

static void test_names_origins_and_counters(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(
		&fixture, "chrome",
		"{\"viztracer_metadata\":{\"baseTimeNanoseconds\":1700000000000000000},"
		"\"traceEvents\":["
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":4,\"args\":{\"name\":\"app\"}},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":4,\"tid\":5,\"args\":{\"name\":"
		"\"io\"}},"
		"{\"ph\":\"C\",\"name\":\"mem\",\"ts\":1,\"pid\":4,\"args\":{\"value\":2.5}},"
		"{\"ph\":\"C\",\"name\":\"net\",\"ts\":2,\"pid\":4,\"args\":{\"in\":1,\"out\":2}}]"
		"}");
	assert_int_equal(fixture.status, KYMO_OK);
	assert_true(fixture.imported.has_realtime);
	assert_int_equal(fixture.imported.realtime_ns, 1700000000000000000);
	assert_string_equal(fixture.imported.processes[1].name, "app");
	assert_string_equal(fixture.imported.threads[1].name, "io");
	assert_int_equal(fixture.imported.series_count, 3);
	assert_string_equal(fixture.imported.series[0].name, "mem");
	assert_string_equal(fixture.imported.series[2].name, "net out");
	assert_true(fixture.imported.points[0].value == 2.5);
	assert_int_equal(fixture.imported.points[2].ns, 2000);
	imported_fixture_release(&fixture);
}

static void test_what_is_left_out_is_counted(void **state)
{
	struct imported_fixture fixture;
	const uint64_t *counts = fixture.imported.counts;

	(void)state;
	imported_fixture_read(
		&fixture, "chrome",
		"[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"f\"},"
		"{\"ph\":\"X\",\"ts\":1,\"dur\":-1,\"name\":\"f\"},"
		"{\"ph\":\"X\",\"name\":\"f\"},{\"ph\":\"X\",\"ts\":1e30,\"name\":\"f\"},"
		"{\"ph\":\"s\",\"ts\":1,\"id\":1},{\"ph\":\"??\",\"ts\":1},{\"ts\":1},"
		"{\"ph\":\"E\",\"ts\":9,\"tid\":7}]");
	ASSERT_IMPORTED(&fixture, "f 1 1000\n");
	assert_int_equal(counts[COUNT_BAD_TIMES], 3);
	assert_int_equal(counts[COUNT_FLOWS], 1);
	assert_int_equal(counts[COUNT_OTHER_EVENTS], 2);
	assert_int_equal(counts[COUNT_UNMATCHED_ENDS], 1);
	imported_fixture_release(&fixture);
}

/* Programs that are killed leave arrays without their end. */
static void test_an_array_may_lack_its_end(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "chrome",
			      "[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"f\"},\n{\"ph\":\"X\",");
	ASSERT_IMPORTED(&fixture, "f 1 2000\n");
	assert_non_null(imported_note_value(&fixture.imported, "import"));
	imported_fixture_release(&fixture);
	assert_refused("chrome", "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1}", "too early");
	assert_refused("chrome", "{\"otherData\":{}}", "no \"traceEvents\"");
	assert_refused("chrome", "[{\"ph\":}]", "at byte");
	assert_refused("chrome", "[", "too early");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete_events_and_begins),
		cmocka_unit_test(test_names_origins_and_counters),
		cmocka_unit_test(test_what_is_left_out_is_counted),
		cmocka_unit_test(test_an_array_may_lack_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
