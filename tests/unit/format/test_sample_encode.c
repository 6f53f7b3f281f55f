/* Records of samples come back as they were written; what is cut or too wide is refused. */
#include "format/sample_encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define UNIT 1024u /* of recorded times */

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_come_back),
		cmocka_unit_test(test_a_cut_record_is_none),
		cmocka_unit_test(test_numbers_that_are_too_wide),
		cmocka_unit_test(test_time_never_drifts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
