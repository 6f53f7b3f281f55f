/* Chunks, records and calibration pairs of a recording that is being written. */
#include "runtime/store/store.h"

#include "model/recording/recording_open.h"
#include "store_fixture.h"

static void chunks_lie_back_to_back(void)
{
	uint64_t end, payloads[] = {1, 4032, 4033, 100000, 5000000};
	struct kymo_chunk *chunk;
	uint64_t sequence = 0;

	fixture_open(NULL);
	CHECK(store_lock());
	for (size_t i = 0; i < sizeof(payloads) / sizeof(*payloads); i++) {
		end = store.header->end;
		chunk = store_chunk(KYMO_CHUNK_EVENTS, payloads[i], 7, 8);
		CHECK(chunk != NULL && store_offset(chunk) == end);
		CHECK(chunk->magic == KYMO_CHUNK_MAGIC && chunk->thread == 7);
		CHECK(chunk->size % KYMO_CHUNK_ALIGN == 0 && chunk->size - 64 >= payloads[i]);
		CHECK(chunk->size - 64 - payloads[i] < KYMO_CHUNK_ALIGN);
		CHECK(chunk->used == 0 && chunk->sequence > sequence);
		sequence = chunk->sequence;
		CHECK(store.header->end == end + chunk->size);
		CHECK(store.header->file_bytes >= store.header->end);
		memset(chunk + 1, 0xff, payloads[i]); /* all of it may be touched */
	}
	store_unlock();
}

/* Records do not straddle chunks; a chunk knows the number of its first record. */
static void records_are_numbered(void)
{
	const struct kymo_chunk *chunk = NULL;
	uint64_t in_chunk = 0;

	fixture_open(NULL);
	CHECK(store_lock());
	for (uint64_t id = 1; id < 20000; id++) {
		struct kymo_series *series =
			store_append(KYMO_CHUNK_SERIES, sizeof(*series), sizeof(*series), id);

		CHECK(series != NULL);
		if (store.stream[KYMO_CHUNK_SERIES] != chunk) {
			chunk = store.stream[KYMO_CHUNK_SERIES];
			CHECK(chunk->base == id && chunk->record_size == sizeof(*series));
			in_chunk = 0;
		}
		CHECK((char *)series == (const char *)(chunk + 1) + in_chunk * sizeof(*series));
		CHECK((char *)(series + 1) <= (const char *)chunk + chunk->size);
		CHECK(chunk->used == in_chunk * sizeof(*series)); /* not visible yet */
		store_publish(KYMO_CHUNK_SERIES, sizeof(*series));
		CHECK(chunk->used == ++in_chunk * sizeof(*series));
	}
	store_unlock();
}

/* At the limit everything is refused, counted, and what is there stays complete. */
static void size_limit(void)
{
	static const char *const settings[] = {"RECORD_LIMIT_MB=1", NULL};
	uint64_t bytes;

	fixture_open(settings);
	CHECK(dup2(open("/dev/null", O_WRONLY), 2) == 2);
	CHECK(store_lock());
	while (store_chunk(KYMO_CHUNK_EVENTS, 100000, 0, 8))
		continue;
	CHECK(store.header->end <= 1 << 20 && store.header->end > 900000);
	CHECK(store.is_full && store.header->refused_chunks == 1);
	bytes = store.header->refused_bytes;
	CHECK(bytes >= 100000);
	CHECK(!store_chunk(KYMO_CHUNK_EVENTS, 8, 0, 8)); /* also one that would fit: it is final */
	CHECK(store.header->refused_chunks == 2 && store.header->refused_bytes > bytes);
	store_unlock();
	kymo_runtime_close(0);
	CHECK(store.header->state == KYMO_STATE_CLOSED);
	recording_free(fixture_read(kymo_runtime_recording()));
}

/* Any number of pairs fit: the first and the newest stay, all are in order. */
static void pairs_are_thinned(void)
{
	struct kymo_clock_pair first, last = {0, 0, 0};
	const struct kymo_header *header;

	fixture_open(NULL);
	CHECK(store_lock());
	header = store.header;
	first = header->pairs[0];
	for (int i = 0; i < 1000; i++) {
		store_calibrate(true);
		CHECK(header->pair_count >= 2 && header->pair_count <= KYMO_CLOCK_PAIRS);
		CHECK(!memcmp(&first, &header->pairs[0], sizeof(first)));
		for (uint32_t k = 1; k < header->pair_count; k++)
			CHECK(header->pairs[k].ticks > header->pairs[k - 1].ticks);
		CHECK(header->pairs[header->pair_count - 1].ticks > last.ticks);
		last = header->pairs[header->pair_count - 1];
	}
	store_unlock();
}

/* How many pairs belong into a time: the first soon after those there are, each twice as far
 * from the first one, up to a second apart. */
static uint32_t function_events_within(uint64_t gap_ns, uint64_t time_ns)
{
	uint32_t count = 0;

	for (; time_ns >= gap_ns; count++) {
		time_ns -= gap_ns;
		gap_ns = gap_ns < 500000000 ? 2 * gap_ns : 1000000000;
	}
	return count;
}

static void pairs_are_a_second_apart(void)
{
	const struct kymo_header *header;
	uint64_t begun, gap, passed;
	uint32_t count;

	fixture_open(NULL);
	CHECK(store_lock());
	header = store.header;
	count = header->pair_count;
	begun = header->pairs[count - 1].monotonic_ns;
	gap = begun - header->pairs[0].monotonic_ns;
	for (int i = 0; i < 100; i++)
		CHECK(store_chunk(KYMO_CHUNK_EVENTS, 100, 0, 8));
	/* A busy machine takes its time. */
	passed = usage_clock_ns(CLOCK_MONOTONIC) - begun;
	CHECK(header->pair_count <= count + 1 + function_events_within(gap, passed));
	store_unlock();
}

/* As far down the stack as a signal handler would be. */
static __attribute__((noinline)) bool lock_as_handler(void)
{
	/* AddressSanitizer keeps what has a constant size on a stack of its own. */
	volatile size_t size = 4096;
	volatile char *room = __builtin_alloca(size);

	room[0] = (char)store_lock();
	return room[0];
}

static void lock_is_not_taken_twice(void)
{
	CHECK(store_lock());
	CHECK(!lock_as_handler());
	store_unlock();
	CHECK(store_lock());
	store_unlock();
}

/* A handler that interrupted the holder and left by a long jump. */
static void lock_outlives_its_holder(void)
{
	CHECK(lock_as_handler());
	CHECK(store_lock());
	CHECK(!lock_as_handler());
	store_unlock();
}

CASE(chunks_lie_back_to_back)
CASE(records_are_numbered)
CASE(size_limit)
CASE(pairs_are_thinned)
CASE(pairs_are_a_second_apart)
CASE(lock_is_not_taken_twice)
CASE(lock_outlives_its_holder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chunks_lie_back_to_back),
		cmocka_unit_test(test_records_are_numbered),
		cmocka_unit_test(test_size_limit),
		cmocka_unit_test(test_pairs_are_thinned),
		cmocka_unit_test(test_pairs_are_a_second_apart),
		cmocka_unit_test(test_lock_is_not_taken_twice),
		cmocka_unit_test(test_lock_outlives_its_holder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
