/* What threads, regions and messages are called in every format. */
#include "export/export_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "model/recording/recording_open.h"
#include "model/recording/run.h"
#include "model/trace/trace_cursor.h"
#include "synthetic.h"

static void test_threads(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_TRACE);
	struct recording *recording;
	char title[EXPORT_NAME_SIZE];

	(void)state;
	synthetic_header(made)->pid = 40;
	for (uint32_t i = 0; i < 4; i++) {
		synthetic_thread(made, KYMO_NO_THREAD, i == 0 ? "a\xff" : NULL, 0);
		synthetic_thread_at(made, i)->system_id = i == 3 ? 0 : 39 + i;
	}
	synthetic_thread_at(made, 2)->flags |= KYMO_THREAD_FIBER;
	synthetic_close(made, 10);
	recording = synthetic_open(made);
	thread_title(recording, 0, title, sizeof(title));
	assert_string_equal(title, "a\xef\xbf\xbd");
	thread_title(recording, 1, title, sizeof(title));
	assert_string_equal(title, "MainThread");
	thread_title(recording, 2, title, sizeof(title));
	assert_string_equal(title, "thread 2");
	assert_int_equal(thread_export_id(recording, 0), 39);
	/* Neither a fiber's nor an unknown id is any thread's of the system. */
	assert_true(thread_export_id(recording, 2) > 1u << 22);
	assert_true(thread_export_id(recording, 3) > 1u << 22);
	assert_int_not_equal(thread_export_id(recording, 2), thread_export_id(recording, 3));
	recording_free(recording);
	synthetic_free(made);
}

static void test_regions(void **state)
{
	const struct region python = {
		.kind = KYMO_REGION_PYTHON, .name = "__init__", .qualname = "A.__init__"};
	const struct region native = {.kind = KYMO_REGION_NATIVE, .name = "f", .qualname = "A.f"};
	char title[EXPORT_NAME_SIZE];

	(void)state;
	region_title(&python, title, sizeof(title));
	assert_string_equal(title, "A.__init__");
	region_title(&native, title, sizeof(title));
	assert_string_equal(title, "f");
	region_title(&native, title, 1);
	assert_string_equal(title, "");
}

static void test_categories_of_kinds_known_or_not(void **state)
{
	(void)state;
	assert_string_equal(region_category(KYMO_REGION_PYTHON_C), "python");
	assert_string_equal(region_category(KYMO_REGION_MPI), "mpi");
	assert_string_equal(region_category((enum kymo_region_kind)0x7fff), "host");
	for (int kind = 0; kind < 64; kind++)
		assert_non_null(region_category((enum kymo_region_kind)kind));
}

static uint64_t flow_of(struct recording *recording, uint32_t region, uint64_t value)
{
	const struct trace_event event = {.kind = TRACE_SEND, .region = region, .value = value};

	return flow_id(recording, &event);
}

/* Both ends of a message have its name and number in common, and the run. */
static void test_messages(void **state)
{
	struct recording *recordings[2];
	struct synthetic *made[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		made[i] = synthetic_new(KYMO_HEADER_TRACE);
		memset(synthetic_header(made[i])->run_id, 7, 16);
		synthetic_region(made[i], KYMO_REGION_USER, i ? "load" : "store");
		synthetic_region(made[i], KYMO_REGION_USER, i ? "store" : "load");
		synthetic_close(made[i], 10);
		recordings[i] = synthetic_open(made[i]);
	}
	assert_int_equal(flow_of(recordings[0], 1, 5), flow_of(recordings[1], 2, 5));
	assert_int_not_equal(flow_of(recordings[0], 1, 5), flow_of(recordings[0], 2, 5));
	assert_int_not_equal(flow_of(recordings[0], 1, 5), flow_of(recordings[0], 1, 6));
	recordings[1]->header.run_id[0] = 8;
	assert_int_not_equal(flow_of(recordings[0], 1, 5), flow_of(recordings[1], 2, 5));
	for (uint32_t i = 0; i < 2; i++) {
		recording_free(recordings[i]);
		synthetic_free(made[i]);
	}
}

static void test_a_run_begins_with_its_earliest_recording(void **state)
{
	struct recording *recordings[2];
	const struct run run = {.recordings = recordings, .recording_count = 2};
	struct synthetic *made[2];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		made[i] = synthetic_new(KYMO_HEADER_TRACE);
		synthetic_header(made[i])->start_realtime_ns += i ? 0 : 500;
		synthetic_close(made[i], 10);
		recordings[i] = synthetic_open(made[i]);
	}
	assert_int_equal(run_origin_ns(&run), SYNTHETIC_START_REALTIME);
	for (uint32_t i = 0; i < 2; i++) {
		recording_free(recordings[i]);
		synthetic_free(made[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_regions),
		cmocka_unit_test(test_categories_of_kinds_known_or_not),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_a_run_begins_with_its_earliest_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
