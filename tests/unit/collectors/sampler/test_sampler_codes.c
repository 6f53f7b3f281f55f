/* Code objects of Python as ids: each is recorded once, also where another takes its address. */
#include "collectors/sampler/python/sampler_codes.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pystack/pycode.h"

#define CODES 2000u

static struct pyruntime runtime;
static uint64_t filename; /* of all codes that are met */
static uint32_t flags;
static bool is_code, is_read, is_recorded;
static uint32_t recorded;
static struct kymo_code_spec latest;
static char latest_name[64];

bool pycode_identify(const struct pyruntime *unused, const struct pymemory *memory, uint64_t code,
		     struct pycode_identity *out)
{
	(void)unused, (void)memory;
	*out = (struct pycode_identity){.code = code, .filename = filename, .first_line = 7};
	return is_code;
}

bool pycode_read(const struct pyruntime *unused, const struct pymemory *memory, uint64_t code,
		 struct pycode *out)
{
	(void)unused, (void)memory, (void)code;
	memset(out, 0, sizeof(*out));
	strcpy(out->name, "solve");
	strcpy(out->filename, "model.py");
	out->first_line = 8;
	out->flags = flags;
	return is_read;
}

bool unwind_copy(uint64_t address, void *to, size_t size)
{
	(void)address, (void)to;
	return size == 0;
}

bool kymo_sample_code(const struct kymo_code_spec *spec, uint32_t *id_out)
{
	if (!is_recorded)
		return false;
	latest = *spec;
	strcpy(latest_name, spec->name ? spec->name : "");
	*id_out = ++recorded;
	return true;
}

static int begin(void **state)
{
	(void)state;
	sampler_codes_forked(); /* none is known */
	filename = 100;
	flags = recorded = 0;
	is_code = is_read = is_recorded = true;
	return 0;
}

static uint64_t frame_of(uint64_t code, uint32_t offset)
{
	const struct pyframe frame = {.code = code, .offset = offset};
	uint64_t word = UINT64_MAX;

	return sampler_code_frame(&runtime, &frame, &word) ? word : UINT64_MAX;
}

static void test_a_code_is_recorded_once(void **state)
{
	uint64_t first = frame_of(0x1000, 12);

	(void)state;
	assert_int_equal(kymo_frame_kind(first), KYMO_FRAME_PYTHON);
	assert_int_equal(kymo_frame_content(first), UINT64_C(1) << 32 | 12);
	assert_int_equal(kymo_frame_content(frame_of(0x1000, 20)), UINT64_C(1) << 32 | 20);
	assert_int_equal(recorded, 1);
	assert_string_equal(latest_name, "solve");
	assert_int_equal(latest.first_line, 8);
	assert_int_equal(latest.flags, 0);
}

/* One was freed, and another was made where it had been. */
static void test_another_code_at_the_same_address(void **state)
{
	uint64_t first = frame_of(0x1000, 0);

	(void)state;
	filename = 200;
	assert_int_not_equal(frame_of(0x1000, 0), first);
	filename = 100;
	assert_int_equal(frame_of(0x1000, 0), first);
	assert_int_equal(recorded, 2);
}

static void test_many_codes_stay_known(void **state)
{
	uint64_t frames[CODES];

	(void)state;
	for (uint64_t i = 0; i < CODES; i++)
		frames[i] = frame_of(0x1000 + 64 * i, 0);
	assert_true(table->capacity >= 2 * CODES);
	for (uint64_t i = 0; i < CODES; i++)
		assert_int_equal(frame_of(0x1000 + 64 * i, 0), frames[i]);
	assert_int_equal(recorded, CODES);
}

static void test_what_cannot_be_recorded_is_asked_for_again(void **state)
{
	(void)state;
	is_code = false;
	assert_int_equal(frame_of(0x1000, 0), UINT64_MAX);
	is_code = true;
	is_recorded = false;
	assert_int_equal(frame_of(0x1000, 0), UINT64_MAX);
	is_recorded = true;
	assert_int_not_equal(frame_of(0x1000, 0), UINT64_MAX);
}

static void test_generators_and_codes_without_names(void **state)
{
	(void)state;
	flags = 0x20;
	(void)frame_of(0x1000, 0);
	assert_int_equal(latest.flags, KYMO_CODE_GENERATOR);
	flags = 0x40; /* CO_NOFREE */
	(void)frame_of(0x2000, 0);
	assert_int_equal(latest.flags, 0);
	is_read = false;
	(void)frame_of(0x3000, 0);
	assert_null(latest.name);
	assert_int_equal(latest.first_line, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_code_is_recorded_once, begin),
		cmocka_unit_test_setup(test_another_code_at_the_same_address, begin),
		cmocka_unit_test_setup(test_many_codes_stay_known, begin),
		cmocka_unit_test_setup(test_what_cannot_be_recorded_is_asked_for_again, begin),
		cmocka_unit_test_setup(test_generators_and_codes_without_names, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
