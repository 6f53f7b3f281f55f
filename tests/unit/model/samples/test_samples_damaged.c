/* Samples as damage and later versions leave them. */
#include "samples_fixture.h"

static void test_stacks_that_are_not_there(void **state)
{
	struct synthetic *synthetic = one_thread();
	uint32_t stack = synthetic_stack(synthetic, 0, 0, native(1));
	uint32_t other = synthetic_stack(synthetic, 0, stack + 1, native(2)); /* its own parent */
	struct sample_position position = {0};
	struct opened opened;
	uint64_t frame;
	uint32_t parent;

	(void)state;
	put(synthetic, KYMO_SAMPLE_BEGIN, 0, 0);
	put(synthetic, KYMO_SAMPLE_REALTIME, 1, other);
	put(synthetic, KYMO_SAMPLE_REALTIME, 2, other + 1);
	put(synthetic, KYMO_SAMPLE_REALTIME, 3, UINT32_MAX);
	opened = open_samples(synthetic);
	assert_int_equal(opened.samples->damaged_count, 2);
	assert_next(&opened, &position, KYMO_SAMPLE_REALTIME, other, 1);
	assert_next(&opened, &position, KYMO_SAMPLE_REALTIME, 0, 1);
	assert_next(&opened, &position, KYMO_SAMPLE_REALTIME, 0, 1);
	assert_true(samples_frame(opened.samples, 0, other, &frame, &parent));
	assert_int_equal(parent, 0);
	assert_false(samples_frame(opened.samples, 0, 0, &frame, &parent));
	assert_false(samples_frame(opened.samples, 0, other + 1, &frame, &parent));
	assert_false(samples_frame(opened.samples, 9, stack, &frame, &parent));
	close_samples(&opened);
}

/* Chunks of stacks whose ids are impossible, or were given before. */
static void test_stack_chunks_that_do_not_follow(void **state)
{
	static const uint64_t bases[] = {0, 1, UINT32_MAX, UINT64_MAX, UINT64_C(1) << 40};

	(void)state;
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		struct synthetic *synthetic = one_thread();
		struct kymo_chunk *chunk;
		struct opened opened;
		uint64_t frame;
		uint32_t parent;
		size_t size;

		synthetic_stack(synthetic, 0, 0, native(1));
		chunk = (struct kymo_chunk *)((uintptr_t)synthetic_bytes(synthetic, &size) +
					      synthetic_chunk(synthetic, KYMO_CHUNK_STACKS, 0, 16,
							      160, 160));
		chunk->base = bases[i];
		opened = open_samples(synthetic);
		assert_int_equal(opened.samples->damaged_count, 1);
		assert_int_equal(samples_stack_count(opened.samples, 0), 2);
		assert_true(samples_frame(opened.samples, 0, 1, &frame, &parent));
		assert_int_equal(frame, native(1));
		close_samples(&opened);
	}
}

/* The rest of a chunk that makes no sense is left out, the next one is read. */
static void test_broken_chunks(void **state)
{
	static const unsigned char broken[] = {KYMO_SAMPLE_REALTIME,
					       0x80,
					       0x80,
					       0x80,
					       0x80,
					       0x80,
					       0x80,
					       0x80,
					       0x80,
					       0x80,
					       0x80,
					       0x80};
	struct synthetic *synthetic = one_thread();
	struct sample_position position = {0};
	struct sample sample;
	struct opened opened;

	(void)state;
	synthetic_chunk_payload(synthetic, 64);
	put(synthetic, KYMO_SAMPLE_BEGIN, 0, 0);
	put(synthetic, KYMO_SAMPLE_REALTIME, 1, 0);
	synthetic_sample_bytes(synthetic, 0, broken, sizeof(broken));
	for (uint64_t i = 2; i < 3000; i++) /* the first ones lie behind the broken one */
		put(synthetic, KYMO_SAMPLE_REALTIME, i, 0);
	opened = open_samples(synthetic);
	assert_int_equal(opened.samples->damaged_count, 1);
	assert_next(&opened, &position, KYMO_SAMPLE_REALTIME, 0, 1);
	assert_true(samples_next(opened.samples, 0, &position, &sample));
	/* It stands for all the time since the one that could be read. */
	assert_int_equal(sample.start_ticks, SYNTHETIC_START_TICKS + UNIT);
	assert_true(sample.wall_ns > 100 * UNIT);
	while (samples_next(opened.samples, 0, &position, &sample))
		assert_true(sample.wall_ns == UNIT);
	assert_int_equal(sample.ticks, SYNTHETIC_START_TICKS + 2999 * UNIT);
	close_samples(&opened);
}

static void test_kinds_of_later_versions(void **state)
{
	/* Kind 6, one unit, stack 9, CPU time 3, value 4. */
	static const unsigned char later[] = {6 | 8 | 0x80 | 0x40, 1, 9, 3, 4};
	struct synthetic *synthetic = one_thread();
	struct sample_position position = {0};
	struct sample sample;
	struct opened opened;

	(void)state;
	put(synthetic, KYMO_SAMPLE_BEGIN, 0, 0);
	synthetic_sample_bytes(synthetic, 0, later, sizeof(later));
	put(synthetic, KYMO_SAMPLE_REALTIME, 2, 0);
	opened = open_samples(synthetic);
	assert_int_equal(opened.samples->count, 1);
	assert_int_equal(opened.samples->damaged_count, 0);
	assert_next(&opened, &position, KYMO_SAMPLE_REALTIME, 0, 3);
	assert_false(samples_next(opened.samples, 0, &position, &sample));
	close_samples(&opened);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_that_are_not_there),
		cmocka_unit_test(test_stack_chunks_that_do_not_follow),
		cmocka_unit_test(test_broken_chunks),
		cmocka_unit_test(test_kinds_of_later_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
