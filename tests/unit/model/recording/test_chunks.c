/* Chunks that cannot be. */
#include "model/recording/recording.h"

#include "model/recording/recording_open.h"
#include "recording_fixture.h"

static void test_passes_over_a_damaged_chunk(void **state)
{
	struct synthetic *synthetic = sample();
	uint64_t hole = synthetic_chunk(synthetic, KYMO_CHUNK_NODES, 0, 64, 8192, 64);
	struct recording *recording;
	struct copy copy;

	(void)state;
	synthetic_chunk_payload(synthetic, 4000);
	synthetic_chunk(synthetic, 99, KYMO_NO_THREAD, 0, 64, 64); /* of an unknown type */
	synthetic_note(synthetic, KYMO_NOTE_INFO, "after", "damage");
	copy = copy_of(synthetic);
	memset(copy.bytes + hole, 0xaa, sizeof(struct kymo_chunk));
	recording = open_copy(&copy);
	assert_true(complains(recording, "no chunk at byte"));
	assert_int_equal(recording->problem_count, 1);
	assert_string_equal(recording_note(recording, KYMO_NOTE_INFO, "after"), "damage");
	recording_free(recording);
	free(copy.bytes);
	synthetic_free(synthetic);
}

static void test_impossible_sizes(void **state)
{
	struct synthetic *synthetic = sample();
	uint64_t at = synthetic_chunk(synthetic, KYMO_CHUNK_REGIONS, KYMO_NO_THREAD, 64, 64, 64);
	struct copy copy = copy_of(synthetic);
	struct kymo_chunk *chunk = (struct kymo_chunk *)(void *)(copy.bytes + at);
	struct recording *recording;

	(void)state;
	chunk->used = UINT64_MAX;
	chunk->base = 2;
	recording = open_copy(&copy);
	assert_true(complains(recording, "bytes used of"));
	assert_int_equal(recording->region_count, 2 + 4032 / 64);
	recording_free(recording);

	chunk->used = 64;
	chunk->base = UINT32_MAX; /* would be a table of many gigabytes */
	recording = open_copy(&copy);
	assert_true(complains(recording, "first id"));
	assert_int_equal(recording->region_count, 2);
	recording_free(recording);

	chunk->record_size = 0;
	recording = open_copy(&copy);
	assert_true(complains(recording, "records of 0 bytes"));
	recording_free(recording);

	chunk->size = UINT64_MAX & ~UINT64_C(4095);
	recording = open_copy(&copy);
	assert_true(complains(recording, "no chunk at byte"));
	recording_free(recording);

	header_of(&copy)->metric_count = UINT32_MAX;
	header_of(&copy)->pair_count = UINT32_MAX;
	header_of(&copy)->end = 1;
	recording = open_copy(&copy);
	assert_true(complains(recording, "metrics"));
	assert_true(complains(recording, "calibrations"));
	assert_true(complains(recording, "end is not possible"));
	assert_int_equal(recording->header.metric_count, 0);
	recording_free(recording);
	free(copy.bytes);
	synthetic_free(synthetic);
}

static void test_complaints_are_bounded(void **state)
{
	struct synthetic *synthetic = sample();
	struct recording *recording;

	(void)state;
	for (int i = 0; i < 1000; i++)
		synthetic_chunk(synthetic, KYMO_CHUNK_POINTS, KYMO_NO_THREAD, 3, 64, 64);
	recording = synthetic_open(synthetic);
	assert_true(recording->problem_count > 10 && recording->problem_count < 100);
	assert_true(complains(recording, "further problems"));
	recording_free(recording);
	synthetic_free(synthetic);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_passes_over_a_damaged_chunk),
		cmocka_unit_test(test_impossible_sizes),
		cmocka_unit_test(test_complaints_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
