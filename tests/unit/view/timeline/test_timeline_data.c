/* The timeline of whole recordings: what is unusual, and that its size is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/page_fixture.h"
#include "view/timeline/timeline_data.h"

#define MANY_THREADS 10000u
#define DEEP	     10000u

/* Bytes that the sections of the timeline take of the page. */
static size_t timeline_bytes(const struct page_fixture *fixture)
{
	static const char mark[] = "<script type=\"application/";
	struct problem problem;
	char *text = NULL, *at;
	size_t length, bytes = 0;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	assert_int_equal(page_write(fixture->loaded, &fixture->page.options, out, &problem),
			 KYMO_OK);
	fclose(out);
	for (at = text; (at = strstr(at, mark)) != NULL; at++) {
		char *end = strstr(at, "</script>"), *id = strstr(at, "id=\"kymo-timeline");

		assert_non_null(end);
		if (id && id < end && id < strchr(at, '>'))
			bytes += (size_t)(end - at) + strlen("</script>\n");
	}
	free(text);
	return bytes;
}

static void collect(const struct page_fixture *fixture, struct timeline_data *data)
{

	timeline_data_collect(data, &fixture->page);
}

static const struct lod_strip *strip_of(const struct lod_store *store, uint32_t thread,
					enum lod_strip_kind kind)
{
	for (size_t i = 0; i < store->strip_count; i++) {
		if (store->strips[i].thread == thread && store->strips[i].kind == kind)
			return &store->strips[i];
	}
	return NULL;
}

static uint32_t a_region(struct synthetic *synthetic)
{
	return synthetic_region(synthetic, KYMO_REGION_PYTHON, "work");
}

static uint32_t a_thread(struct synthetic *synthetic)
{
	return synthetic_thread(synthetic, KYMO_NO_THREAD, NULL, 0);
}

static void test_one_event(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t region = a_region(synthetic), thread = a_thread(synthetic);
	struct timeline_data data;
	struct page_fixture fixture;

	(void)state;
	synthetic_event(synthetic, thread, KYMO_EVENT_ENTER, region, 500, 0);
	synthetic_close(synthetic, 1500);
	page_fixture_open(&fixture, synthetic);
	collect(&fixture, &data);
	assert_int_equal(data.span_ns, 1500);
	assert_int_equal(data.slices.strip_count, 1);
	assert_int_equal(data.slices.strips[0].slice_count, 1);
	assert_int_equal(data.slices.strips[0].tiles[0].start_ns, 500);
	assert_int_equal(data.slices.strips[0].tiles[0].end_ns, 1500);
	timeline_data_release(&data);
	assert_true(timeline_bytes(&fixture) > 0);
	page_fixture_close(&fixture);
}

static void test_slices_without_length(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t region = a_region(synthetic), thread = a_thread(synthetic);
	struct timeline_data data;
	struct page_fixture fixture;

	(void)state;
	for (uint32_t i = 0; i < 3000; i++) {
		synthetic_enter(synthetic, thread, region, 1000);
		synthetic_leave(synthetic, thread, region, 1000);
	}
	synthetic_close(synthetic, 2000000);
	page_fixture_open(&fixture, synthetic);
	collect(&fixture, &data);
	assert_int_equal(data.slices.strips[0].slice_count, 3000);
	assert_int_equal(data.slices.strips[0].depth, 1);
	/* At the next level they are one. */
	assert_int_equal(data.slices.strips[0].kept, 3);
	assert_int_equal(data.slices.strips[0].tiles[1].count, 1);
	timeline_data_release(&data);
	page_fixture_close(&fixture);
}

static void test_many_threads_stay_within_the_budget(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t region = a_region(synthetic);
	struct page_fixture fixture;
	struct timeline_data data;

	(void)state;
	synthetic_chunk_payload(synthetic, 512);
	for (uint32_t i = 0; i < MANY_THREADS; i++) {
		uint32_t thread = a_thread(synthetic);

		for (uint64_t k = 0; k < 5; k++) {
			synthetic_enter(synthetic, thread, region, 1000 * k + i);
			synthetic_leave(synthetic, thread, region, 1000 * k + i + 300);
		}
	}
	synthetic_close(synthetic, 100000);
	page_fixture_open(&fixture, synthetic);
	collect(&fixture, &data);
	assert_int_equal(data.slices.strip_count, MANY_THREADS);
	timeline_data_release(&data);
	assert_true(timeline_bytes(&fixture) <= PAGE_TIMELINE_BYTES);
	fixture.page.options.timeline_bytes = 1 << 20;
	assert_true(timeline_bytes(&fixture) <= 1 << 20);
	page_fixture_close(&fixture);
}

static void test_deep_stacks(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t region = a_region(synthetic), thread = a_thread(synthetic);
	struct timeline_data data;
	struct page_fixture fixture;

	(void)state;
	for (uint64_t i = 0; i < DEEP; i++)
		synthetic_event(synthetic, thread, KYMO_EVENT_ENTER, region, 10 * i, 0);
	for (uint64_t i = 0; i < DEEP; i++)
		synthetic_event(synthetic, thread, KYMO_EVENT_LEAVE, region, 10 * (DEEP + i), 0);
	synthetic_close(synthetic, 30 * DEEP);
	page_fixture_open(&fixture, synthetic);
	collect(&fixture, &data);
	assert_int_equal(data.slices.strips[0].depth, DEEP);
	assert_int_equal(data.slices.strips[0].slice_count, DEEP);
	assert_int_equal(data.slices.too_deep_count, 0);
	timeline_data_release(&data);
	page_fixture_close(&fixture);
}

static void test_long_traces_stay_within_the_budget(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t region = a_region(synthetic), thread = a_thread(synthetic);
	uint32_t series = synthetic_series(synthetic, "rss", "bytes", KYMO_NO_THREAD);
	struct timeline_data data;
	struct page_fixture fixture;
	uint64_t time = 0;

	(void)state;
	for (uint32_t i = 0; i < 300000; i++) {
		synthetic_enter(synthetic, thread, region, time);
		time += 100 + i * 7919ull % 1000;
		synthetic_leave(synthetic, thread, region, time);
		time += 50 + i * 104729ull % 300;
		if (i % 10 == 0)
			synthetic_point(synthetic, series, time, (double)i);
		synthetic_extended_pair(synthetic, thread,
					i % 2 ? KYMO_EXTENDED_RECEIVE : KYMO_EXTENDED_SEND, time,
					region, i / 2);
	}
	synthetic_close(synthetic, time);
	page_fixture_open(&fixture, synthetic);
	fixture.page.options.timeline_bytes = 1 << 20;
	collect(&fixture, &data);
	assert_true(lod_strip_finest(&data.slices.strips[0]) > 0);
	assert_true(lod_strip_finest(&data.slices.strips[0]) < LOD_LEVELS);
	assert_int_equal(data.slices.strips[0].slice_count, 300000);
	assert_int_equal(data.messages.send_count, 150000);
	timeline_data_release(&data);
	assert_true(timeline_bytes(&fixture) <= 1 << 20);
	/* A window has what the whole has no room for. */
	fixture.page.options.timeline_from_ns = time / 2;
	fixture.page.options.timeline_to_ns = time / 2 + time / 100;
	collect(&fixture, &data);
	assert_int_equal(lod_strip_finest(&data.slices.strips[0]), 0);
	assert_in_range(data.slices.strips[0].slice_count, 2500, 3500);
	timeline_data_release(&data);
	page_fixture_close(&fixture);
}

static void test_beyond_the_end_there_is_nothing(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_TRACE);
	struct problem problem;
	struct page_fixture fixture;

	(void)state;
	a_thread(synthetic);
	synthetic_close(synthetic, 1500000000);
	page_fixture_open(&fixture, synthetic);
	fixture.page.options.timeline_from_ns = 2000000000;
	assert_int_equal(timeline_check(&fixture.page, &problem), KYMO_USAGE);
	assert_string_equal(problem.text, "the run ends after 1.5 s: nothing is there from 2 s on");
	page_fixture_close(&fixture);
}

static void test_marks_and_messages(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t region = a_region(synthetic), first = a_thread(synthetic),
		 second = a_thread(synthetic);
	uint32_t left_out[MESSAGE_PARTS];
	struct message *messages;
	struct timeline_data data;
	struct page_fixture fixture;
	size_t count;

	(void)state;
	synthetic_enter(synthetic, first, region, 100);
	synthetic_extended(synthetic, first, KYMO_EXTENDED_INSTANT, 150, region);
	synthetic_extended(synthetic, first, KYMO_EXTENDED_LOST, 900, 77);
	synthetic_extended_pair(synthetic, first, KYMO_EXTENDED_SEND, 950, region, 5);
	synthetic_extended_pair(synthetic, first, KYMO_EXTENDED_SEND, 960, region, 6);
	synthetic_leave(synthetic, first, region, 1000);
	synthetic_extended_pair(synthetic, second, KYMO_EXTENDED_RECEIVE, 1200, region, 5);
	synthetic_close(synthetic, 2000);
	page_fixture_open(&fixture, synthetic);
	collect(&fixture, &data);
	assert_int_equal(data.marks.strip_count, 1);
	assert_int_equal(data.marks.strips[0].depth, 2);
	/* Depth 0: one instant at 150; depth 1: 77 lost from 150 to 900. */
	assert_int_equal(data.marks.strips[0].slice_count, 2);
	assert_int_equal(data.marks.strips[0].tiles[0].start_ns, 150);
	assert_non_null(
		memchr(data.marks.strips[0].tiles[data.marks.strips[0].tile_count - 1].bytes, 77,
		       data.marks.strips[0].tiles[data.marks.strips[0].tile_count - 1].size));
	messages = messages_match(&data.messages, data.span_ns, 100, &count, left_out);
	assert_int_equal(count, 1);
	assert_int_equal(messages[0].from.ns, 950);
	assert_int_equal(messages[0].to.ns, 1200);
	assert_int_equal(messages[0].to.thread, second);
	timeline_data_release(&data);
	page_fixture_close(&fixture);
}

static void test_damaged_chunks_leave_the_rest(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t region = a_region(synthetic), thread = a_thread(synthetic);
	struct timeline_data data;
	struct page_fixture fixture;

	(void)state;
	synthetic_enter(synthetic, thread, region, 100);
	/* A region that is not there, a leave of nothing, an unknown extension. */
	synthetic_event(synthetic, thread, KYMO_EVENT_ENTER, 999, 150, 0);
	synthetic_event(synthetic, thread, KYMO_EVENT_LEAVE, 998, 160, 0);
	synthetic_extended(synthetic, thread, 15, 170, 3);
	synthetic_words(synthetic, thread, (const uint64_t[]){UINT64_MAX, UINT64_MAX}, 2);
	synthetic_close(synthetic, 2000);
	page_fixture_open(&fixture, synthetic);
	collect(&fixture, &data);
	assert_non_null(strip_of(&data.slices, thread, LOD_SLICES));
	assert_true(data.span_ns >= 2000);
	timeline_data_release(&data);
	assert_true(timeline_bytes(&fixture) > 0);
	page_fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_event),
		cmocka_unit_test(test_slices_without_length),
		cmocka_unit_test(test_many_threads_stay_within_the_budget),
		cmocka_unit_test(test_deep_stacks),
		cmocka_unit_test(test_long_traces_stay_within_the_budget),
		cmocka_unit_test(test_beyond_the_end_there_is_nothing),
		cmocka_unit_test(test_marks_and_messages),
		cmocka_unit_test(test_damaged_chunks_leave_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
