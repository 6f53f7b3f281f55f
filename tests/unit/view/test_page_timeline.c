/* The timeline's sections: facts, the index of tiles, messages and series. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/page_fixture.h"

static struct synthetic *traced(void)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_TRACE | KYMO_HEADER_ROOT);

	page_fixture_region(made, "main", 3);
	page_fixture_region(made, "work", 10);
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	synthetic_enter(made, 0, MAIN, 100);
	synthetic_enter(made, 0, WORK, 200);
	synthetic_leave(made, 0, WORK, 300);
	synthetic_leave(made, 0, MAIN, 900);
	return made;
}

static void test_nothing_over_time_is_no_timeline(void **state)
{
	char *text = page_fixture_section(page_fixture_calls(), US(20), &page_timeline_section);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

static void test_index_says_where_each_tile_is(void **state)
{
	char *text = page_fixture_section(traced(), 1000, &page_timeline_section);
	struct page_blob_read index = page_blob_of(text, "timeline-index"),
			      tiles = page_blob_of(text, "timeline-0");

	(void)state;
	/* One strip, of thread 0 of process 0, slices, two deep, two of them, level 0, two tiles:
	 * main is long enough for level 1. */
	EXPECT_NUMBERS(&index, 1, 0, 0, 0, 2, 2, 1, 2);
	EXPECT_NUMBERS(&index, 0, 200, 100, 1, 0, 0, 6);
	EXPECT_NUMBERS(&index, 2, 100, 800, 1, 0, 6, 7);
	EXPECT_END(&index);
	EXPECT_NUMBERS(&tiles, 1, 1, 1, 0, 100, WORK);
	EXPECT_NUMBERS(&tiles, 1, 0, 1, 0, 800, MAIN);
	EXPECT_END(&tiles);
	free(text);
}

static void test_facts_have_the_resolutions(void **state)
{
	char *text = page_fixture_section(traced(), 1000, &page_timeline_section);

	(void)state;
	assert_has(text, "{\"end\":1000,\"from\":0,\"to\":1000,\"sends\":0,\"series_left_out\":0,"
			 "\"finest\":0,\"hidden\":0,\"too_deep\":0,\"resolutions\":[0,256,1024,");
	assert_has(text, "\"series\":[]}");
	free(text);
}

static void test_messages_are_differences(void **state)
{
	struct synthetic *made = traced();
	struct page_blob_read blob;
	char *text;

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, "worker", 0);
	synthetic_extended_pair(made, 1, KYMO_EXTENDED_RECEIVE, 940, WORK, 6);
	synthetic_extended_pair(made, 1, KYMO_EXTENDED_RECEIVE, 980, WORK, 5);
	synthetic_extended_pair(made, 0, KYMO_EXTENDED_SEND, 950, WORK, 5);
	synthetic_extended_pair(made, 0, KYMO_EXTENDED_SEND, 960, WORK, 6);
	text = page_fixture_section(made, 1000, &page_timeline_section);
	blob = page_blob_of(text, "timeline-messages");
	EXPECT_NUMBERS(&blob, 2);
	EXPECT_NUMBERS(&blob, 950, 0, 0, 60, 0, 1, WORK);
	EXPECT_NUMBERS(&blob, 10, 0, 0, 41, 0, 1, WORK); /* received before it was sent */
	assert_int_equal(blob.size - blob.at, 256);
	free(text);
}

static void test_series_are_described_and_follow(void **state)
{
	struct synthetic *made = page_fixture_calls();
	uint32_t power = synthetic_series(made, "power", "W", KYMO_NO_THREAD),
		 load = synthetic_series(made, "load", "%", 0);
	struct page_blob_read blob;
	char *text;

	(void)state;
	synthetic_point(made, power, 100, 2);
	synthetic_point(made, power, 50, -2);
	synthetic_point(made, load, 90, 1);
	text = page_fixture_section(made, US(20), &page_timeline_section);
	assert_has(text, "{\"process\":0,\"name\":\"power\",\"unit\":\"W\",\"count\":2,\"min\":-2,"
			 "\"max\":2},{\"process\":0,\"thread\":0,\"name\":\"load\",");
	blob = page_blob_of(text, "timeline-series");
	EXPECT_NUMBERS(&blob, 2, 50, 50);
	assert_memory_equal(blob.bytes + blob.at, "\0\0\0\xc0\0\0\0\x40\1\x5a\0\0\x80\x3f", 14);
	assert_int_equal(blob.size - blob.at, 14);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_over_time_is_no_timeline),
		cmocka_unit_test(test_index_says_where_each_tile_is),
		cmocka_unit_test(test_facts_have_the_resolutions),
		cmocka_unit_test(test_messages_are_differences),
		cmocka_unit_test(test_series_are_described_and_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
