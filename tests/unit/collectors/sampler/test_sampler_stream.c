/* A thread's stream of samples: chunks that grow, and losses that are told with the next record. */
#include "collectors/sampler/sampler_stream.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/chunk_fixture.h"

static struct sampler_thread self;

static int begin(void **state)
{
	(void)state;
	memset(&self, 0, sizeof(self));
	return 0;
}

static int end(void **state)
{
	(void)state;
	chunks_release();
	return 0;
}

static bool put(uint64_t ticks, uint32_t stack)
{
	const struct sample_record record = {
		.kind = KYMO_SAMPLE_REALTIME, .ticks = ticks, .stack = stack};

	return sampler_stream_put(&self, &record);
}

/* The next record of a chunk from *offset on. */
static struct sample_record next_of(const struct kymo_chunk *chunk, uint64_t *offset,
				    uint64_t *ticks)
{
	const unsigned char *bytes = (const unsigned char *)(chunk + 1), *at = bytes + *offset;
	struct sample_record record = {.stack = UINT32_MAX};

	assert_true(sample_decode(&at, bytes + chunk->used, ticks, &record));
	*offset = (uint64_t)(at - bytes);
	return record;
}

static void test_records_are_read_as_written(void **state)
{
	uint64_t offset = 0, ticks;

	(void)state;
	assert_true(put(10240, 3));
	assert_true(put(20480, 4));
	ticks = chunks_given[0]->base;
	assert_int_equal(ticks, 10240);
	assert_int_equal(next_of(chunks_given[0], &offset, &ticks).stack, 3);
	assert_int_equal(next_of(chunks_given[0], &offset, &ticks).stack, 4);
	assert_int_equal(ticks, 20480);
	assert_int_equal(offset, chunks_given[0]->used);
}

/* Each further chunk is larger, up to a limit, and none is written beyond its end. */
static void test_chunks_grow(void **state)
{
	uint64_t ticks = 0;

	(void)state;
	while (chunk_count < 7)
		assert_true(put(ticks += 1024, 1));
	for (unsigned i = 0; i < chunk_count; i++) {
		assert_true(chunks_given[i]->used <=
			    chunks_given[i]->size - sizeof(struct kymo_chunk));
		assert_int_equal(chunks_given[i]->size % KYMO_CHUNK_ALIGN, 0);
	}
	assert_true(chunks_given[1]->size > chunks_given[0]->size);
	assert_int_equal(chunks_given[6]->size, chunks_given[5]->size);
}

static void test_a_loss_is_told_with_the_next_record(void **state)
{
	const struct sample_record mark = {.kind = KYMO_SAMPLE_BEGIN, .ticks = 1024};
	uint64_t offset = 0, ticks;
	struct sample_record lost;

	(void)state;
	chunks_allowed = 0;
	assert_false(put(1024, 1));
	assert_false(put(2048, 1));
	assert_false(sampler_stream_put(&self, &mark)); /* no sample: nothing is lost with it */
	chunks_allowed = 1;
	assert_true(put(4096, 7));
	ticks = chunks_given[0]->base;
	lost = next_of(chunks_given[0], &offset, &ticks);
	assert_int_equal(lost.kind, KYMO_SAMPLE_LOST);
	assert_int_equal(lost.value, 2);
	assert_int_equal(next_of(chunks_given[0], &offset, &ticks).stack, 7);
	assert_int_equal(self.stream.lost, 0);
}

/* The times of a thread go on over its chunks: a next one does not begin before the last record. */
static void test_a_chunk_begins_behind_the_one_before(void **state)
{
	uint64_t ticks = 1024000;

	(void)state;
	do
		assert_true(put(ticks += 1024, 1));
	while (stream_space(self.stream.chunk) >= 2 * SAMPLE_RECORD_MAX);
	assert_true(put(5, 1));
	assert_int_equal(chunk_count, 2);
	assert_int_equal(chunks_given[1]->base, ticks);
}

/* At the end of a thread the rest is told where there is room left. */
static void test_a_loss_at_the_end(void **state)
{
	struct kymo_thread thread = {.clock_is_ticks = 1};
	uint64_t offset = 0, ticks;

	(void)state;
	self.thread = &thread;
	assert_true(put(1024, 1));
	self.stream.lost = 5;
	sampler_stream_end(&self);
	ticks = chunks_given[0]->base;
	(void)next_of(chunks_given[0], &offset, &ticks);
	assert_int_equal(next_of(chunks_given[0], &offset, &ticks).value, 5);
	self.stream.lost = 5;
	self.stream.chunk = NULL;
	sampler_stream_end(&self);
	assert_int_equal(self.stream.lost, 5); /* is in the notes, then */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_records_are_read_as_written, begin, end),
		cmocka_unit_test_setup_teardown(test_chunks_grow, begin, end),
		cmocka_unit_test_setup_teardown(test_a_loss_is_told_with_the_next_record, begin,
						end),
		cmocka_unit_test_setup_teardown(test_a_chunk_begins_behind_the_one_before, begin,
						end),
		cmocka_unit_test_setup_teardown(test_a_loss_at_the_end, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
