/* Records with marks of time: what is read of them, and of what was never written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/functions/function_events.h"

#define BASE 5000u

struct written {
	unsigned char bytes[4096];
	size_t size;
};

static void put(struct written *written, uint64_t word, unsigned size)
{
	for (; size > 0; size--, word >>= 8)
		written->bytes[written->size++] = (unsigned char)word;
}

static void put_enter(struct written *written, uint32_t id, uint32_t slot)
{
	put(written, (uint64_t)id << 12 | slot << 2 | 1, 4);
}

static void put_exit(struct written *written, uint32_t slot)
{
	put(written, slot << 2 | 2, 2);
}

static void put_mark(struct written *written, unsigned mark, uint64_t ticks)
{
	put(written, mark << 2, 1);
	put(written, ticks, 8);
}

/* Of memory that ends where the records end, so that nothing behind it can be read. */
static unsigned read_all(const unsigned char *bytes, size_t size,
			 struct function_events_record *out, unsigned max, bool *is_malformed_out)
{
	unsigned char *copy = malloc(size ? size : 1);
	struct function_events_reader reader;
	unsigned count = 0;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	reader = function_events_reader_begin(copy, size, BASE, KYMO_FUNCTION_EVENTS_MARKED);
	while (count < max && function_events_next(&reader, &out[count]))
		count++;
	*is_malformed_out = reader.is_malformed;
	free(copy);
	return count;
}

static void check(const struct function_events_record *record, enum function_events_kind kind,
		  uint32_t id, uint32_t slot, uint64_t ticks)
{
	assert_int_equal(record->kind, kind);
	assert_int_equal(record->ticks, ticks);
	if (kind == FUNCTION_EVENTS_ENTER)
		assert_int_equal(record->id, id);
	if (kind == FUNCTION_EVENTS_ENTER || kind == FUNCTION_EVENTS_EXIT)
		assert_int_equal(record->slot, slot);
}

static void times_are_those_of_the_latest_mark(void **state)
{
	struct written written = {.size = 0};
	struct function_events_record records[16];
	bool is_malformed;

	(void)state;
	put_enter(&written, PATCH_ID_MAX, 1023);
	put_mark(&written, PATCH_MARK_TIME, 7000);
	put_enter(&written, 0, 0);
	put_mark(&written, PATCH_MARK_TIME, 6000); /* time does not go back */
	put_exit(&written, 0);
	put_mark(&written, PATCH_MARK_OFF, 8000);
	put_mark(&written, PATCH_MARK_ON, 9000);
	put_exit(&written, 1023);
	put_mark(&written, PATCH_MARK_LOST, 9500);
	put_mark(&written, PATCH_MARK_TIME, UINT64_MAX);
	put_enter(&written, 77, 512);
	assert_int_equal(read_all(written.bytes, written.size, records, 16, &is_malformed), 8);
	assert_false(is_malformed);
	check(&records[0], FUNCTION_EVENTS_ENTER, PATCH_ID_MAX, 1023, BASE);
	check(&records[1], FUNCTION_EVENTS_ENTER, 0, 0, 7000);
	check(&records[2], FUNCTION_EVENTS_EXIT, 0, 0, 7000);
	check(&records[3], FUNCTION_EVENTS_OFF, 0, 0, 8000);
	check(&records[4], FUNCTION_EVENTS_ON, 0, 0, 9000);
	check(&records[5], FUNCTION_EVENTS_EXIT, 0, 1023, 9000);
	check(&records[6], FUNCTION_EVENTS_LOST, 0, 0, 9500);
	check(&records[7], FUNCTION_EVENTS_ENTER, 77, 512, UINT64_MAX);
}

/* They say how much of the time was not the program's, and are no records. */
static void marks_of_others_time_are_added_up(void **state)
{
	struct written written = {.size = 0};
	struct function_events_record record;
	struct function_events_reader reader;

	(void)state;
	put_mark(&written, PATCH_MARK_OWN, 300);
	put_mark(&written, PATCH_MARK_AWAY, 40);
	put_mark(&written, PATCH_MARK_TIME, 7000);
	put_enter(&written, 1, 1);
	put_mark(&written, PATCH_MARK_AWAY, 2);
	put_exit(&written, 1);
	put_mark(&written, PATCH_MARK_OWN, 5);
	for (unsigned cut = 0; cut < 2; cut++) {
		reader = function_events_reader_begin(written.bytes, written.size - cut, BASE,
						      KYMO_FUNCTION_EVENTS_MARKED);
		assert_true(function_events_next(&reader, &record));
		check(&record, FUNCTION_EVENTS_ENTER, 1, 1, 7000);
		assert_true(reader.away == 40 && reader.own == 300);
		assert_true(function_events_next(&reader, &record));
		check(&record, FUNCTION_EVENTS_EXIT, 0, 1, 7000);
		assert_true(reader.away == 42 && reader.own == 300);
		assert_false(function_events_next(&reader, &record));
		assert_true(reader.own == (cut ? 300 : 305));
		assert_int_equal(reader.is_malformed, cut);
	}
}

/* However many there are, of both kinds of chunks. */
static void many_marks_of_others_time_are_no_records(void **state)
{
	enum { MANY = 1 << 20 };
	unsigned char *bytes = malloc(MANY * PATCH_MARK_BYTES);
	struct function_events_record record;
	struct function_events_reader reader;

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 0, MANY * PATCH_MARK_BYTES);
	for (size_t i = 0; i < MANY; i++) {
		bytes[i * PATCH_MARK_BYTES] = (i & 1 ? PATCH_MARK_AWAY : PATCH_MARK_OWN) << 2;
		bytes[i * PATCH_MARK_BYTES + 1] = 3;
	}
	for (unsigned flags = 0; flags <= KYMO_FUNCTION_EVENTS_MARKED; flags++) {
		reader = function_events_reader_begin(bytes, MANY * PATCH_MARK_BYTES, BASE,
						      (uint16_t)flags);
		assert_false(function_events_next(&reader, &record));
		assert_false(reader.is_malformed);
		assert_true(reader.away == 3 * MANY / 2 && reader.own == 3 * MANY / 2);
	}
	free(bytes);
}

/* Room that was taken and never written: between any two records, and at the end. */
static void what_was_not_written_is_passed_over(void **state)
{
	(void)state;
	for (unsigned hole = 0; hole < 40; hole++) {
		struct written written = {.size = hole};
		struct function_events_record records[16];
		bool is_malformed;

		put_enter(&written, 0x100, 3); /* bytes of it are zeros, too */
		written.size += hole;
		put_mark(&written, PATCH_MARK_TIME, 0x0100000000000000);
		written.size += hole;
		put_exit(&written, 3);
		written.size += hole;
		put_enter(&written, 0, 0);
		written.size += hole;
		assert_int_equal(read_all(written.bytes, written.size, records, 16, &is_malformed),
				 3);
		assert_false(is_malformed);
		check(&records[0], FUNCTION_EVENTS_ENTER, 0x100, 3, BASE);
		check(&records[1], FUNCTION_EVENTS_EXIT, 0, 3, 0x0100000000000000);
		check(&records[2], FUNCTION_EVENTS_ENTER, 0, 0, 0x0100000000000000);
	}
}

static void nothing_at_all_is_no_record(void **state)
{
	struct written written = {.size = 0};
	struct function_events_record record;
	bool is_malformed;

	(void)state;
	for (size_t size = 0; size < 64; size++) {
		assert_int_equal(read_all(written.bytes, size, &record, 1, &is_malformed), 0);
		assert_false(is_malformed);
	}
}

static void what_is_cut_off_ends_the_chunk(void **state)
{
	struct written written = {.size = 0};
	struct function_events_record records[4];
	bool is_malformed;

	(void)state;
	put_exit(&written, 700);
	put_enter(&written, PATCH_ID_MAX, 700);
	put_mark(&written, PATCH_MARK_TIME, UINT64_MAX / 3);
	for (size_t size = 0; size <= written.size; size++) {
		unsigned count = read_all(written.bytes, size, records, 4, &is_malformed);

		assert_int_equal(count, (size >= 2) + (size >= 6));
		assert_int_equal(is_malformed,
				 size != 0 && size != 2 && size != 6 && size != written.size);
	}
}

static void what_is_of_no_known_kind_ends_the_chunk(void **state)
{
	static const unsigned char heads[][2] = {
		{3, 0},	  {2, 0x10}, {2, 0x80}, {5 << 2, 0}, {(PATCH_MARK_OWN + 1) << 2, 0},
		{0xfc, 0}};
	struct function_events_record records[4];
	bool is_malformed;

	(void)state;
	for (unsigned i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		struct written written = {.size = 0};

		put_exit(&written, 1);
		put(&written, heads[i][0] | heads[i][1] << 8, 12);
		put_exit(&written, 1);
		assert_int_equal(read_all(written.bytes, written.size, records, 4, &is_malformed),
				 1);
		assert_true(is_malformed);
	}
}

/* The latest time there can be is none at which anything was switched. */
static void the_latest_time_is_behind_no_stop(void **state)
{
	struct function_events_stops stops = {.items = {{10, 20}, {30, UINT64_MAX}}, .count = 2};
	struct written written = {.size = 0};
	struct function_events_record records[4];
	struct function_events_reader reader;

	(void)state;
	put(&written, 1 | 511 << 1 | 5 << 20, 5);
	put(&written, UINT64_MAX, 8);
	reader = function_events_reader_begin(written.bytes, written.size, 0, 0);
	assert_true(function_events_next(&reader, &records[0]));
	assert_int_equal(records[0].ticks, UINT64_MAX);
	assert_false(function_events_next(&reader, &records[1]));
	reader = function_events_reader_begin(written.bytes, written.size, 0, 0);
	function_events_reader_follow(&reader, &stops);
	assert_true(function_events_next(&reader, &records[0]) &&
		    function_events_next(&reader, &records[1]));
	check(&records[0], FUNCTION_EVENTS_OFF, 0, 0, 10);
	check(&records[1], FUNCTION_EVENTS_ENTER, 5, 0, UINT64_MAX);
	assert_false(function_events_next(&reader, &records[2]));
	assert_int_equal(stops.next, 1);
}

/* And the other records know no mark of this kind. */
static void a_mark_of_time_belongs_to_marked_chunks(void **state)
{
	struct written written = {.size = 0};
	struct function_events_record record;
	struct function_events_reader reader;

	(void)state;
	put_mark(&written, PATCH_MARK_TIME, 7000);
	reader = function_events_reader_begin(written.bytes, written.size, BASE, 0);
	assert_false(function_events_next(&reader, &record));
	assert_true(reader.is_malformed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_those_of_the_latest_mark),
		cmocka_unit_test(marks_of_others_time_are_added_up),
		cmocka_unit_test(many_marks_of_others_time_are_no_records),
		cmocka_unit_test(what_was_not_written_is_passed_over),
		cmocka_unit_test(nothing_at_all_is_no_record),
		cmocka_unit_test(what_is_cut_off_ends_the_chunk),
		cmocka_unit_test(what_is_of_no_known_kind_ends_the_chunk),
		cmocka_unit_test(the_latest_time_is_behind_no_stop),
		cmocka_unit_test(a_mark_of_time_belongs_to_marked_chunks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
