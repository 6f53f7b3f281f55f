/* Events of a chunk, word by word. */
#include "format/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define HEAD(kind, region, ticks) kymo_event_head(KYMO_EVENT_##kind, region, ticks)
/* further: how many words follow the head. */
#define EXTENDED(extension, further, ticks)                                                        \
	HEAD(EXTENDED, (uint32_t)KYMO_EXTENDED_##extension | (further) << 8, ticks)

static struct event_reader reader_of(const uint64_t *words, size_t count)
{
	return event_reader_begin(words, count * sizeof(*words), 1000);
}

static void assert_next(struct event_reader *reader, enum kymo_event_kind kind, uint32_t region,
			uint64_t ticks)
{
	struct event_record record;

	assert_true(event_reader_next(reader, &record));
	assert_int_equal(record.kind, kind);
	assert_int_equal(record.region, region);
	assert_int_equal(record.ticks, ticks);
}

static void assert_end(struct event_reader *reader, bool is_malformed)
{
	struct event_record record;

	assert_false(event_reader_next(reader, &record));
	assert_int_equal(reader->is_malformed, is_malformed);
}

static void test_times_count_from_the_base(void **state)
{
	const uint64_t words[] = {HEAD(ENTER, 7, 5), HEAD(TIME, 0, 0), 9000, HEAD(LEAVE, 7, 6),
				  HEAD(UNWIND, 3, KYMO_EVENT_TICK_MAX)};
	struct event_reader reader = reader_of(words, 5);

	(void)state;
	assert_next(&reader, KYMO_EVENT_ENTER, 7, 1005);
	assert_next(&reader, KYMO_EVENT_LEAVE, 7, 9006);
	assert_next(&reader, KYMO_EVENT_UNWIND, 3, 9000 + KYMO_EVENT_TICK_MAX);
	assert_end(&reader, false);
}

static void test_wide_regions(void **state)
{
	const uint64_t words[] = {EXTENDED(ENTER, 1u, 1), 0x12345678, EXTENDED(LEAVE, 1u, 2),
				  UINT64_MAX};
	struct event_reader reader = reader_of(words, 4);

	(void)state;
	assert_next(&reader, KYMO_EVENT_ENTER, 0x12345678, 1001);
	assert_next(&reader, KYMO_EVENT_LEAVE, UINT32_MAX, 1002);
	assert_end(&reader, false);
}

/* A newer writer's extensions say themselves how long they are. */
static void test_what_is_not_known_is_passed_over(void **state)
{
	const uint64_t words[] = {HEAD(EXTENDED, 200u | 2u << 8, 1), 5, 6, HEAD(LEAVE, 1, 2)};
	struct event_reader reader = reader_of(words, 4);

	(void)state;
	assert_next(&reader, KYMO_EVENT_LEAVE, 1, 1002);
	assert_end(&reader, false);
}

static void test_messages_have_two_ends(void **state)
{
	const uint64_t words[] = {EXTENDED(SEND, 2u, 1), 4, 77, EXTENDED(RECEIVE, 1u, 1), 4};
	struct event_reader reader = reader_of(words, 5);
	struct event_record record;

	(void)state;
	assert_true(event_reader_next(&reader, &record));
	assert_int_equal(record.extension, KYMO_EXTENDED_SEND);
	assert_int_equal(record.word, 4);
	assert_int_equal(record.second, 77);
	assert_end(&reader, false); /* one word is no message */
}

static void test_values(void **state)
{
	const uint64_t words[] = {EXTENDED(INSTANT, 1u, 1),
				  3,
				  EXTENDED(VALUE, 2u, 1),
				  11,
				  12,
				  EXTENDED(VALUE, 2u, 1),
				  13,
				  14,
				  HEAD(LEAVE, 9, 2)};
	struct event_reader reader = reader_of(words, 9);
	uint64_t value[2];

	(void)state;
	assert_next(&reader, KYMO_EVENT_EXTENDED, 3, 1001);
	assert_int_equal(event_reader_value(&reader, value), EVENT_VALUE);
	assert_int_equal(value[0], 11);
	assert_int_equal(event_reader_value(&reader, value), EVENT_VALUE);
	assert_int_equal(value[1], 14);
	assert_int_equal(event_reader_value(&reader, value), EVENT_NO_VALUE);
	assert_next(&reader, KYMO_EVENT_LEAVE, 9, 1002);
	assert_int_equal(event_reader_value(&reader, value), EVENT_CHUNK_END);
}

static void test_the_chunk_ends_at_what_is_not_written(void **state)
{
	const uint64_t words[] = {HEAD(ENTER, 1, 0), 0, HEAD(LEAVE, 1, 0)};
	struct event_reader reader = reader_of(words, 3);

	(void)state;
	assert_next(&reader, KYMO_EVENT_ENTER, 1, 1000);
	assert_end(&reader, false);
}

/* Of every record each length that is too short. */
static void test_cut_records_end_the_chunk(void **state)
{
	const uint64_t heads[] = {HEAD(RESUME, 1, 0), HEAD(ANNOTATED, 1, 0), HEAD(TIME, 0, 0),
				  EXTENDED(SEND, 2u, 0), EXTENDED(VALUE, 255u, 0)};

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		uint64_t words[3] = {heads[i], 1, 1};

		for (size_t count = 1; count <= (i < 3 ? 1 : 2); count++) {
			struct event_reader reader = reader_of(words, count);

			assert_end(&reader, true);
		}
	}
}

/* Any words: the reader ends, inside the chunk. */
static void test_any_words(void **state)
{
	uint64_t words[64], seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct event_reader reader = reader_of(words, 64);
		struct event_record record;
		size_t count = 0;

		for (size_t i = 0; i < 64; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			words[i] = seed ^ seed >> 29;
		}
		while (event_reader_next(&reader, &record))
			count++;
		assert_true(count <= 64 && reader.next <= 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_count_from_the_base),
		cmocka_unit_test(test_wide_regions),
		cmocka_unit_test(test_what_is_not_known_is_passed_over),
		cmocka_unit_test(test_messages_have_two_ends),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_the_chunk_ends_at_what_is_not_written),
		cmocka_unit_test(test_cut_records_end_the_chunk),
		cmocka_unit_test(test_any_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
