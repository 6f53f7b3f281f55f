/* Messages of a profile: what is the same has one id, and all that is referred to is there. */
#include "export/formats/pprof_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "export/formats/protobuf_fixture.h"
#include "export/sink_fixture.h"
#include "import/gzip_reader.h"

enum { /* of profile.proto */
       SAMPLE_TYPE = 1,
       SAMPLE = 2,
       MAPPING = 3,
       LOCATION = 4,
       FUNCTION = 5,
       STRING = 6,
       DURATION = 10,
       COMMENT = 13,
       STRINGS_MAX = 32,
};

struct written {
	struct sunk sunk;
	struct pprof_profile profile;
	unsigned char bytes[65536];
	size_t size;
	struct message strings[STRINGS_MAX];
	size_t string_count;
};

static struct pprof_profile *written_begin(struct written *written)
{
	*written = (struct written){.size = 0};
	assert_int_equal(pprof_begin(&written->profile, sunk_begin(&written->sunk)), KYMO_OK);
	return &written->profile;
}

static bool written_take(void *context, const void *data, size_t size)
{
	struct written *written = context;

	assert_true(size <= sizeof(written->bytes) - written->size);
	memcpy(written->bytes + written->size, data, size);
	written->size += size;
	return true;
}

static struct message all_of(const struct written *written)
{
	return (struct message){written->bytes, written->bytes + written->size};
}

static void written_end(struct written *written)
{
	struct problem problem;
	struct message all;
	struct field field;

	pprof_end(&written->profile);
	sunk_end(&written->sunk);
	assert_int_equal(gzip_unpack(written->sunk.data, written->sunk.size, "x", written_take,
				     written, &problem),
			 KYMO_OK);
	free(written->sunk.data);
	all = all_of(written);
	while (next_field(&all, &field))
		if (field.number == STRING && written->string_count < STRINGS_MAX)
			written->strings[written->string_count++] = field.content;
}

static unsigned int count_of(const struct written *written, uint32_t number)
{
	struct message all = all_of(written);
	struct field field;
	unsigned int count = 0;

	while (next_field(&all, &field))
		count += field.number == number;
	return count;
}

static void assert_string(const struct written *written, uint64_t index, const char *text)
{
	assert_in_range(index, 0, written->string_count - 1);
	assert_true(equals(written->strings[index], text));
}

static void test_first_string_is_empty(void **state)
{
	static struct written written;

	(void)state;
	written_begin(&written);
	written_end(&written);
	assert_int_equal(written.string_count, 1);
	assert_string(&written, 0, "");
}

static void test_each_text_is_one_string(void **state)
{
	static struct written written;
	struct pprof_profile *profile = written_begin(&written);
	struct message type;

	(void)state;
	pprof_sample_type(profile, "wall", "nanoseconds");
	pprof_sample_type(profile, "cpu", "nanoseconds");
	pprof_comment(profile, "cpu");
	pprof_times(profile, 5, 1000);
	written_end(&written);
	assert_int_equal(written.string_count, 4);
	type = get(all_of(&written), SAMPLE_TYPE).content;
	assert_string(&written, get(type, 1).value, "wall");
	assert_string(&written, get(type, 2).value, "nanoseconds");
	assert_string(&written, get(all_of(&written), COMMENT).value, "cpu");
	assert_int_equal(get(all_of(&written), DURATION).value, 1000);
}

static void test_same_location_has_one_id(void **state)
{
	static struct written written;
	struct pprof_profile *profile = written_begin(&written);
	const struct pprof_line lines[] = {
		{{.name = "inner", .file = "a.c"}, 7},
		{{.name = "outer", .file = "a.c", .first_line = 3}, 5},
	};
	struct pprof_location location = {
		.owner = 1, .key = 0x1000, .address = 0x1000, .lines = lines, .line_count = 2};
	struct message message, line;
	uint64_t id = pprof_location(profile, &location);

	(void)state;
	assert_int_not_equal(id, 0);
	assert_int_equal(pprof_location(profile, &location), id);
	assert_int_equal(pprof_known_location(profile, 1, 0x1000), id);
	assert_int_equal(pprof_known_location(profile, 2, 0x1000), 0);
	location.owner = 2; /* another process: the same functions */
	assert_int_not_equal(pprof_location(profile, &location), id);
	written_end(&written);
	assert_int_equal(count_of(&written, LOCATION), 2);
	assert_int_equal(count_of(&written, FUNCTION), 2);
	message = get(all_of(&written), LOCATION).content;
	assert_int_equal(get(message, 1).value, id);
	assert_int_equal(get(message, 3).value, 0x1000);
	assert_false(has(message, 2)); /* no mapping */
	line = get(message, 4).content;
	assert_int_equal(get(line, 2).value, 7);
	message = get(all_of(&written), FUNCTION).content;
	assert_int_equal(get(message, 1).value, get(line, 1).value);
	assert_string(&written, get(message, 2).value, "inner");
	assert_string(&written, get(message, 4).value, "a.c");
}

static void test_functions_differ_by_where_they_begin(void **state)
{
	static struct written written;
	struct pprof_profile *profile = written_begin(&written);

	(void)state;
	for (uint32_t i = 1; i <= 2; i++) {
		const struct pprof_line line = {{.name = "<lambda>", .first_line = i}, 9};
		const struct pprof_location location = {.key = i, .lines = &line, .line_count = 1};

		pprof_location(profile, &location);
	}
	written_end(&written);
	assert_int_equal(count_of(&written, FUNCTION), 2);
}

static void test_mappings_need_no_symbols(void **state)
{
	static struct written written;
	struct pprof_profile *profile = written_begin(&written);
	const struct pprof_mapping mapping = {
		.key = 4, .start = 0x1000, .end = 0x2000, .file = "/lib/x.so", .build_id = "abcd"};
	struct message message;

	(void)state;
	assert_int_equal(pprof_mapping(profile, &mapping), 1);
	assert_int_equal(pprof_mapping(profile, &mapping), 1);
	written_end(&written);
	assert_int_equal(count_of(&written, MAPPING), 1);
	message = get(all_of(&written), MAPPING).content;
	assert_int_equal(get(message, 2).value, 0x1000);
	assert_int_equal(get(message, 3).value, 0x2000);
	assert_string(&written, get(message, 5).value, "/lib/x.so");
	assert_string(&written, get(message, 6).value, "abcd");
	for (uint32_t field = 7; field <= 10; field++)
		assert_int_equal(get(message, field).value, 1);
}

static void test_samples_have_locations_values_and_labels(void **state)
{
	static const uint64_t locations[] = {300, 1};
	static const int64_t values[] = {5, -1};
	static const struct pprof_label labels[] = {{.key = "thread", .text = "Main"},
						    {.key = "process", .number = 77}};
	static struct written written;
	struct message message, packed, label;

	(void)state;
	pprof_sample(written_begin(&written), locations, 2, values, 2, labels, 2);
	written_end(&written);
	message = get(all_of(&written), SAMPLE).content;
	packed = get(message, 1).content;
	assert_int_equal(read_varint(&packed), 300);
	assert_int_equal(read_varint(&packed), 1);
	assert_ptr_equal(packed.at, packed.end);
	packed = get(message, 2).content;
	assert_int_equal(read_varint(&packed), 5);
	assert_int_equal(read_varint(&packed), UINT64_MAX);
	label = get(message, 3).content;
	assert_string(&written, get(label, 1).value, "thread");
	assert_string(&written, get(label, 2).value, "Main");
	assert_false(has(label, 3));
}

static void test_too_much_for_a_sample_is_cut(void **state)
{
	static uint64_t locations[2 * PPROF_LOCATIONS_MAX];
	static const int64_t values[2 * PPROF_VALUES_MAX];
	static struct written written;
	struct message packed;
	unsigned int count = 0;

	(void)state;
	for (size_t i = 0; i < 2 * PPROF_LOCATIONS_MAX; i++)
		locations[i] = UINT64_MAX - i; /* as long as numbers can be */
	pprof_sample(written_begin(&written), locations, 2 * PPROF_LOCATIONS_MAX, values,
		     2 * PPROF_VALUES_MAX, NULL, 0);
	written_end(&written);
	packed = get(get(all_of(&written), SAMPLE).content, 1).content;
	for (; packed.at < packed.end; count++)
		assert_int_equal(read_varint(&packed), UINT64_MAX - count);
	assert_int_equal(count, PPROF_LOCATIONS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_string_is_empty),
		cmocka_unit_test(test_each_text_is_one_string),
		cmocka_unit_test(test_same_location_has_one_id),
		cmocka_unit_test(test_functions_differ_by_where_they_begin),
		cmocka_unit_test(test_mappings_need_no_symbols),
		cmocka_unit_test(test_samples_have_locations_values_and_labels),
		cmocka_unit_test(test_too_much_for_a_sample_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
