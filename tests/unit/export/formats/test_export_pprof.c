/* The pprof export of whole recordings: columns, stacks and labels. */
#include "export/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "export/formats/protobuf_fixture.h"
#include "exported.h"
#include "import/gzip_reader.h"

enum { SAMPLE_TYPE = 1, SAMPLE = 2, FUNCTION = 5, STRING = 6, DEFAULT_TYPE = 14 };

struct profile {
	unsigned char bytes[65536];
	size_t size;
};

static bool profile_take(void *context, const void *data, size_t size)
{
	struct profile *profile = context;

	assert_true(size <= sizeof(profile->bytes) - profile->size);
	memcpy(profile->bytes + profile->size, data, size);
	profile->size += size;
	return true;
}

/* Frees the recording. */
static struct message profile_of(struct profile *profile, struct synthetic *made,
				 const struct export_options *options)
{
	struct exported exported = exported_new("pprof", &made, 1, options);
	struct problem problem;

	assert_int_equal(exported.status, KYMO_OK);
	profile->size = 0;
	assert_int_equal(
		gzip_unpack(exported.data, exported.size, "x", profile_take, profile, &problem),
		KYMO_OK);
	exported_free(&exported);
	synthetic_free(made);
	return (struct message){profile->bytes, profile->bytes + profile->size};
}

/* The n-th field of that number. */
static struct message nth(struct message all, uint32_t number, uint64_t n)
{
	struct field field;

	while (next_field(&all, &field))
		if (field.number == number && n-- == 0)
			return field.content;
	fail_msg("no further field %u", number);
	return all;
}

static void assert_string(struct message all, uint64_t index, const char *text)
{
	assert_true(equals(nth(all, STRING, index), text));
}

static struct synthetic *calls(void)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t main = exported_python(made, "main", "/u/a.py", 3),
		 work = exported_python(made, "work", "/u/a.py", 10);

	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	synthetic_enter(made, 0, main, 100);
	synthetic_enter(made, 0, work, 200);
	synthetic_leave(made, 0, work, 700);
	synthetic_leave(made, 0, main, 1000);
	synthetic_close(made, 1000);
	return made;
}

static void expect_values(struct message sample, uint64_t first, uint64_t second)
{
	struct message values = get(sample, 2).content;

	assert_int_equal(read_varint(&values), first);
	assert_int_equal(read_varint(&values), second);
	assert_ptr_equal(values.at, values.end);
}

static void test_calls_have_counts_and_own_times(void **state)
{
	static struct profile profile;
	struct message all = profile_of(&profile, calls(), NULL);

	(void)state;
	assert_string(all, get(nth(all, SAMPLE_TYPE, 0), 1).value, "calls");
	assert_string(all, get(nth(all, SAMPLE_TYPE, 1), 1).value, "wall");
	assert_string(all, get(all, DEFAULT_TYPE).value, "wall");
	expect_values(nth(all, SAMPLE, 0), 1, 400);
	expect_values(nth(all, SAMPLE, 1), 1, 500);
}

static void test_innermost_function_comes_first(void **state)
{
	static struct profile profile;
	struct message all = profile_of(&profile, calls(), NULL),
		       outer = get(nth(all, SAMPLE, 0), 1).content,
		       inner = get(nth(all, SAMPLE, 1), 1).content;
	uint64_t main_location = read_varint(&outer);

	(void)state;
	assert_ptr_equal(outer.at, outer.end);
	assert_int_not_equal(read_varint(&inner), main_location);
	assert_int_equal(read_varint(&inner), main_location);
	assert_ptr_equal(inner.at, inner.end);
	assert_string(all, get(nth(all, FUNCTION, 0), 2).value, "main");
	assert_string(all, get(nth(all, FUNCTION, 1), 2).value, "work");
}

static void test_samples_are_labelled_with_their_thread(void **state)
{
	static struct profile profile;
	struct message all = profile_of(&profile, exported_overflows(), NULL),
		       label = get(nth(all, SAMPLE, 0), 3).content;

	(void)state;
	assert_string(all, get(all, DEFAULT_TYPE).value, "events");
	assert_string(all, get(label, 1).value, "thread");
	assert_true(get(label, 2).value > 0);
	expect_values(nth(all, SAMPLE, 0), 1, 5000);
	expect_values(nth(all, SAMPLE, 1), 2, 10000);
}

static void test_functions_that_are_left_out_are_in_no_stack(void **state)
{
	static struct profile profile;
	struct export_options options = EXPORT_OPTIONS_DEFAULT;
	struct message all, locations;

	(void)state;
	options.filter = "^main$";
	all = profile_of(&profile, calls(), &options);
	locations = get(nth(all, SAMPLE, 0), 1).content;
	read_varint(&locations);
	assert_ptr_equal(locations.at, locations.end);
	expect_values(nth(all, SAMPLE, 0), 1, 900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_have_counts_and_own_times),
		cmocka_unit_test(test_innermost_function_comes_first),
		cmocka_unit_test(test_samples_are_labelled_with_their_thread),
		cmocka_unit_test(test_functions_that_are_left_out_are_in_no_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
