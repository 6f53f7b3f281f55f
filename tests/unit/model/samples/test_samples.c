/* Samples as they were written: what they stand for, their stacks and code. */
#include "samples_fixture.h"

/* Each kind counts from its own last one, and all from a pause's end. */
static void test_what_samples_stand_for(void **state)
{
	struct synthetic *synthetic = one_thread();
	uint32_t stack = synthetic_stack(synthetic, 0, 0, native(0x1000));
	struct sample_position position = {0};
	struct sample sample;
	struct opened opened;

	(void)state;
	put(synthetic, KYMO_SAMPLE_BEGIN, 10, 0);
	put(synthetic, KYMO_SAMPLE_REALTIME, 13, stack);
	put(synthetic, KYMO_SAMPLE_CPUTIME, 14, stack);
	put(synthetic, KYMO_SAMPLE_REALTIME, 20, 0);
	synthetic_sample(synthetic, 0, KYMO_SAMPLE_LOST, 0, 22 * UNIT, 0, SYNTHETIC_NONE, 5);
	put(synthetic, KYMO_SAMPLE_REALTIME, 30, stack);
	put(synthetic, KYMO_SAMPLE_BEGIN, 100, 0);
	put(synthetic, KYMO_SAMPLE_CPUTIME, 104, stack);
	synthetic_sample(synthetic, 0, KYMO_SAMPLE_OVERFLOW, KYMO_GIL_HELD, 105 * UNIT, stack,
			 3 * UNIT, 99);
	opened = open_samples(synthetic);
	assert_int_equal(opened.samples->count, 6);
	assert_int_equal(opened.samples->counts[KYMO_SAMPLE_REALTIME], 3);
	assert_int_equal(opened.samples->counts[KYMO_SAMPLE_BEGIN], 2);
	assert_int_equal(opened.samples->threads[0].counts[KYMO_SAMPLE_CPUTIME], 2);
	assert_int_equal(opened.samples->lost_count, 5);
	assert_int_equal(opened.samples->damaged_count, 0);
	assert_next(&opened, &position, KYMO_SAMPLE_REALTIME, stack, 3);
	assert_next(&opened, &position, KYMO_SAMPLE_CPUTIME, stack, 4);
	assert_next(&opened, &position, KYMO_SAMPLE_REALTIME, 0, 7);
	assert_next(&opened, &position, KYMO_SAMPLE_REALTIME, stack, 10);
	assert_next(&opened, &position, KYMO_SAMPLE_CPUTIME, stack, 4);
	assert_true(samples_next(opened.samples, 0, &position, &sample));
	assert_int_equal(sample.gil, KYMO_GIL_HELD);
	assert_int_equal(sample.value, 99);
	assert_true(sample.cpu_ns == 3 * UNIT);
	assert_false(samples_next(opened.samples, 0, &position, &sample));
	assert_false(samples_next(opened.samples, 0, &position, &sample));
	assert_false(samples_next(opened.samples, 1, &(struct sample_position){0}, &sample));
	close_samples(&opened);
}

/* Thousands of samples and stacks of two threads, in chunks that lie mixed in the file. */
static void test_many_chunks(void **state)
{
	enum { COUNT = 5000 };
	struct synthetic *synthetic = one_thread();
	struct opened opened;

	(void)state;
	synthetic_thread(synthetic, 0, "worker", 0);
	synthetic_chunk_payload(synthetic, 256);
	for (uint32_t thread = 0; thread < 2; thread++)
		synthetic_sample(synthetic, thread, KYMO_SAMPLE_BEGIN, 0, 0, 0, SYNTHETIC_NONE,
				 SYNTHETIC_NONE);
	for (uint32_t i = 1; i <= COUNT; i++) {
		for (uint32_t thread = 0; thread < 2; thread++) {
			uint32_t stack = synthetic_stack(synthetic, thread, i - 1,
							 native(thread * 0x10000 + i));

			synthetic_sample(synthetic, thread, KYMO_SAMPLE_REALTIME, 0,
					 (uint64_t)i * UNIT, stack, SYNTHETIC_NONE, SYNTHETIC_NONE);
		}
	}
	synthetic_close(synthetic, (COUNT + 1) * UNIT);
	opened = open_samples(synthetic);
	assert_int_equal(opened.samples->count, 2 * COUNT);
	assert_true(opened.samples->threads[0].sample_chunk_count > 3);
	assert_true(opened.samples->threads[1].stack_chunk_count > 3);
	for (uint32_t thread = 0; thread < 2; thread++) {
		struct sample_position position = {0};
		struct sample sample;

		assert_int_equal(samples_stack_count(opened.samples, thread), COUNT + 1);
		for (uint32_t i = 1; i <= COUNT; i++) {
			uint64_t frame;
			uint32_t parent;

			assert_true(samples_next(opened.samples, thread, &position, &sample));
			assert_int_equal(sample.stack, i);
			assert_int_equal(sample.ticks, SYNTHETIC_START_TICKS + (uint64_t)i * UNIT);
			assert_true(samples_frame(opened.samples, thread, i, &frame, &parent));
			assert_int_equal(frame, native(thread * 0x10000 + i));
			assert_int_equal(parent, i - 1);
		}
		assert_false(samples_next(opened.samples, thread, &position, &sample));
	}
	close_samples(&opened);
}

/* Chunks are in the order of their sequence, wherever they lie in the file. */
static void test_chunks_that_changed_places(void **state)
{
	enum { COUNT = 400, CHUNK = KYMO_CHUNK_ALIGN };
	struct synthetic *synthetic = one_thread();
	uint64_t seen = 0;
	size_t size, found[2] = {0}, count = 0;
	struct sample_position position = {0};
	unsigned char *file, held[CHUNK];
	struct sample sample;
	struct opened opened;

	(void)state;
	put(synthetic, KYMO_SAMPLE_BEGIN, 0, 0);
	for (uint64_t i = 1; i <= COUNT; i++) /* with a value, to fill chunks */
		synthetic_sample(synthetic, 0, KYMO_SAMPLE_REALTIME, 0, i * UNIT, 0, SYNTHETIC_NONE,
				 UINT64_MAX - 1 - i);
	file = (unsigned char *)(uintptr_t)synthetic_bytes(synthetic, &size);
	for (size_t at = KYMO_HEADER_SIZE; at < size && count < 2; at += CHUNK) {
		if (((struct kymo_chunk *)(void *)(file + at))->type == KYMO_CHUNK_SAMPLES)
			found[count++] = at;
	}
	assert_int_equal(count, 2);
	memcpy(held, file + found[0], CHUNK);
	memcpy(file + found[0], file + found[1], CHUNK);
	memcpy(file + found[1], held, CHUNK);
	opened = open_samples(synthetic);
	assert_int_equal(opened.samples->count, COUNT);
	while (samples_next(opened.samples, 0, &position, &sample)) {
		seen++;
		assert_int_equal(sample.ticks, SYNTHETIC_START_TICKS + seen * UNIT);
		assert_int_equal(sample.value, UINT64_MAX - 1 - seen);
	}
	assert_int_equal(seen, COUNT);
	close_samples(&opened);
}

static void test_codes(void **state)
{
	static const unsigned char table[] = {0, 1, 0, 255, 7};
	struct synthetic *synthetic = one_thread();
	uint32_t plain = synthetic_code(synthetic, "f", "/src/f.py", 12);
	uint32_t unknown = synthetic_code(synthetic, NULL, NULL, 0);
	struct sample_code code;
	struct opened opened;

	(void)state;
	synthetic_code_at(synthetic, plain)->lines =
		synthetic_string_of(synthetic, table, sizeof(table));
	opened = open_samples(synthetic);
	assert_true(samples_code(opened.recording, plain, &code));
	assert_string_equal(code.name, "f");
	assert_string_equal(code.file, "/src/f.py");
	assert_int_equal(code.first_line, 12);
	assert_int_equal(code.version, 3 << 8 | 11);
	assert_int_equal(code.lines_size, sizeof(table));
	assert_memory_equal(code.lines, table, sizeof(table));
	assert_true(samples_code(opened.recording, unknown, &code));
	assert_null(code.name);
	assert_null(code.lines);
	assert_int_equal(code.lines_size, 0);
	assert_false(samples_code(opened.recording, unknown + 1, &code));
	assert_false(samples_code(opened.recording, UINT32_MAX, &code));
	close_samples(&opened);
}

/* Samples tell how far a recording goes that was not closed. */
static void test_the_end_of_what_was_not_closed(void **state)
{
	struct synthetic *synthetic = one_thread();
	struct opened opened;

	(void)state;
	put(synthetic, KYMO_SAMPLE_BEGIN, 1, 0);
	put(synthetic, KYMO_SAMPLE_REALTIME, 50, 0);
	opened = open_samples(synthetic);
	assert_int_equal(opened.recording->end_ticks, SYNTHETIC_START_TICKS + 50 * UNIT);
	close_samples(&opened);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_samples_stand_for),
		cmocka_unit_test(test_many_chunks),
		cmocka_unit_test(test_chunks_that_changed_places),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_the_end_of_what_was_not_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
