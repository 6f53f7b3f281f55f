/* Samples as they were written, and as damage leaves them. */
#include "model/samples/samples.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "format/sample_encode.h"
#include "model/recording/recording_open.h"
#include "synthetic.h"

#define UNIT 1024u /* of recorded times */

struct opened {
	struct synthetic *synthetic;
	struct recording *recording;
	struct samples *samples;
};

static struct opened open_samples(struct synthetic *synthetic)
{
	struct opened opened = {synthetic, synthetic_open(synthetic), NULL};

	assert_int_equal(samples_new(opened.recording, &opened.samples, NULL), KYMO_OK);
	return opened;
}

static void close_samples(struct opened *opened)
{
	samples_free(opened->samples);
	recording_free(opened->recording);
	synthetic_free(opened->synthetic);
}

static struct synthetic *one_thread(void)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_SAMPLES);

	synthetic_thread(synthetic, KYMO_NO_THREAD, "MainThread", 0);
	return synthetic;
}

/* A sample of the first thread, of whole units of time. */
static void put(struct synthetic *synthetic, enum kymo_sample_kind kind, uint64_t units,
		uint32_t stack)
{
	synthetic_sample(synthetic, 0, kind, KYMO_GIL_UNKNOWN, units * UNIT, stack, SYNTHETIC_NONE,
			 SYNTHETIC_NONE);
}

static uint64_t native(uint64_t address)
{
	return kymo_frame(KYMO_FRAME_NATIVE, address);
}

static const struct sample_record records[] = {
	{.kind = KYMO_SAMPLE_BEGIN},
	{.kind = KYMO_SAMPLE_REALTIME, .stack = 1, .ticks = 5 * UNIT},
	{.kind = KYMO_SAMPLE_CPUTIME,
	 .gil = KYMO_GIL_HELD,
	 .stack = 127,
	 .ticks = 5 * UNIT,
	 .has_cpu = true,
	 .cpu_ns = 128 * UNIT},
	{.kind = KYMO_SAMPLE_OVERFLOW,
	 .gil = KYMO_GIL_WAITED_FOR,
	 .stack = UINT32_MAX,
	 .ticks = 400 * UNIT,
	 .has_value = true,
	 .value = UINT64_MAX},
	{.kind = KYMO_SAMPLE_LOST, .ticks = 400 * UNIT, .has_value = true, .value = 7},
	{.kind = KYMO_SAMPLE_REALTIME,
	 .stack = 128,
	 .ticks = UINT64_MAX / UNIT * UNIT,
	 .has_cpu = true,
	 .cpu_ns = UINT64_MAX / UNIT * UNIT},
};
#define RECORDS (sizeof(records) / sizeof(records[0]))

static void test_records_come_back(void **state)
{
	unsigned char bytes[RECORDS * SAMPLE_RECORD_MAX];
	const unsigned char *at = bytes;
	uint64_t written = 0, read = 0;
	struct sample_record record;
	size_t size = 0;

	(void)state;
	for (size_t i = 0; i < RECORDS; i++)
		size += sample_encode(bytes + size, &written, &records[i]);
	for (size_t i = 0; i < RECORDS; i++) {
		assert_true(sample_decode(&at, bytes + size, &read, &record));
		assert_int_equal(record.kind, records[i].kind);
		assert_int_equal(record.gil, records[i].gil);
		assert_int_equal(record.stack, records[i].stack);
		assert_int_equal(record.has_cpu, records[i].has_cpu);
		assert_int_equal(record.has_value, records[i].has_value);
		assert_int_equal(record.ticks, records[i].ticks);
		assert_int_equal(record.cpu_ns, records[i].cpu_ns);
		assert_int_equal(record.value, records[i].value);
	}
	assert_ptr_equal(at, bytes + size);
	assert_false(sample_decode(&at, bytes + size, &read, &record));
}

static void test_a_cut_record_is_none(void **state)
{
	(void)state;
	for (size_t i = 0; i < RECORDS; i++) {
		unsigned char bytes[SAMPLE_RECORD_MAX];
		uint64_t ticks = 0;
		size_t size = sample_encode(bytes, &ticks, &records[i]);

		for (size_t cut = 0; cut < size; cut++) {
			const unsigned char *at = bytes;
			struct sample_record record;
			uint64_t time = 77;

			assert_false(sample_decode(&at, bytes + cut, &time, &record));
			assert_ptr_equal(at, bytes);
			assert_int_equal(time, 77);
		}
	}
}

static void test_numbers_that_are_too_wide(void **state)
{
	static const unsigned char wide[][12] = {
		/* eleven bytes; bit 64; a stack above 32 bits; units above 54 bits */
		{1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0},
		{1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2},
		{1, 0, 0xff, 0xff, 0xff, 0xff, 0x1f},
		{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
		const unsigned char *at = wide[i];
		struct sample_record record;
		uint64_t ticks = 0;

		assert_false(sample_decode(&at, wide[i] + sizeof(wide[i]), &ticks, &record));
		assert_ptr_equal(at, wide[i]);
	}
}

static void test_time_never_drifts(void **state)
{
	uint64_t written = 1000, cpu = 500, sum = 0;
	struct sample_record record = {.kind = KYMO_SAMPLE_REALTIME, .has_cpu = true};

	(void)state;
	for (uint64_t i = 1; i <= 10000; i++) {
		unsigned char bytes[SAMPLE_RECORD_MAX];

		record.ticks = 1000 + i * 1500;
		record.cpu_ns = sample_cpu_since(&cpu, 500 + i * 700);
		sum += record.cpu_ns;
		sample_encode(bytes, &written, &record);
		assert_in_range(record.ticks - written, 0, UNIT - 1);
		assert_in_range(i * 700 - sum, 0, UNIT - 1);
	}
	/* A clock that goes back stands still. */
	record.ticks = 1;
	assert_int_equal(sample_cpu_since(&cpu, 3), 0);
	sum = written;
	sample_encode((unsigned char[SAMPLE_RECORD_MAX]){0}, &written, &record);
	assert_int_equal(written, sum);
}

static void assert_next(struct opened *opened, struct sample_position *position,
			enum kymo_sample_kind kind, uint32_t stack, uint64_t wall_units)
{
	struct sample sample;

	assert_true(samples_next(opened->samples, 0, position, &sample));
	assert_int_equal(sample.kind, kind);
	assert_int_equal(sample.stack, stack);
	assert_true(sample.wall_ns == (double)(wall_units * UNIT));
	assert_int_equal(sample.ticks - sample.start_ticks, wall_units * UNIT);
}

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
		cmocka_unit_test(test_records_come_back),
		cmocka_unit_test(test_a_cut_record_is_none),
		cmocka_unit_test(test_numbers_that_are_too_wide),
		cmocka_unit_test(test_time_never_drifts),
		cmocka_unit_test(test_what_samples_stand_for),
		cmocka_unit_test(test_many_chunks),
		cmocka_unit_test(test_chunks_that_changed_places),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_stacks_that_are_not_there),
		cmocka_unit_test(test_stack_chunks_that_do_not_follow),
		cmocka_unit_test(test_broken_chunks),
		cmocka_unit_test(test_kinds_of_later_versions),
		cmocka_unit_test(test_the_end_of_what_was_not_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
