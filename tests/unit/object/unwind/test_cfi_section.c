/* Addresses as unwind tables have them. */
#include "object/unwind/cfi_section.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define BYTES(text)                                                                                \
	((struct cfi_bytes){(const uint8_t *)(text), (const uint8_t *)(text) + sizeof(text) - 1,   \
			    false})

static uint64_t value_of(struct cfi_bytes bytes, uint8_t encoding)
{
	uint64_t value = cfi_value(&bytes, encoding);

	assert_false(bytes.is_bad);
	assert_int_equal(cfi_left(&bytes), 0);
	return value;
}

static void test_numbers(void **state)
{
	(void)state;
	assert_true(value_of(BYTES("\x01\x02\x03\x04\x05\x06\x07\x88"), 0) ==
		    UINT64_C(0x8807060504030201));
	assert_int_equal(value_of(BYTES("\xe5\x8e\x26"), 1), 624485);
	assert_int_equal(value_of(BYTES("\xff\xfe"), 2), 0xfeff);
	assert_int_equal(value_of(BYTES("\xff\xff\xff\xfe"), 3), 0xfeffffff);
	assert_true(value_of(BYTES("\x7f"), 9) == UINT64_MAX);
	assert_true(value_of(BYTES("\xfe\xff"), 10) == (uint64_t)-2);
	assert_true(value_of(BYTES("\xfe\xff\xff\xff"), CFI_PE_SDATA4) == (uint64_t)-2);
	assert_true(value_of(BYTES("\xfe\xff\xff\xff\xff\xff\xff\xff"), 12) == (uint64_t)-2);
}

static void test_formats_that_are_none(void **state)
{
	(void)state;
	for (uint8_t format = 5; format < 16; format++) {
		struct cfi_bytes bytes = BYTES("\x01\x02\x03\x04\x05\x06\x07\x08");

		if (format >= 9 && format <= 12)
			continue;
		assert_int_equal(cfi_value(&bytes, format), 0);
		assert_true(bytes.is_bad);
	}
}

/* From the place itself in either part, from the header, and from nothing. */
static void test_bases(void **state)
{
	static const uint8_t header[8] = {0x10}, frames[8] = {0, 0, 0, 0, 0x20};
	const struct cfi_section section = {.header = header,
					    .header_size = sizeof(header),
					    .header_address = 0x1000,
					    .frames = frames,
					    .frames_size = sizeof(frames),
					    .frames_address = 0x5000};
	struct cfi_bytes bytes = {frames + 4, frames + 8, false};

	(void)state;
	assert_int_equal(cfi_pointer(&section, &bytes, 0x10 | 3), 0x5004 + 0x20);
	bytes = (struct cfi_bytes){header, header + 8, false};
	assert_int_equal(cfi_pointer(&section, &bytes, 0x10 | 3), 0x1000 + 0x10);
	bytes = (struct cfi_bytes){frames + 4, frames + 8, false};
	assert_int_equal(cfi_pointer(&section, &bytes, CFI_PE_DATAREL | 3), 0x1000 + 0x20);
	bytes = (struct cfi_bytes){frames + 4, frames + 8, false};
	assert_int_equal(cfi_pointer(&section, &bytes, 3), 0x20);
	bytes = (struct cfi_bytes){frames, frames + 4, false};
	assert_int_equal(cfi_pointer(&section, &bytes, 0x10 | 3), 0); /* nothing is relative */
	assert_false(bytes.is_bad);
}

static void test_bases_that_cannot_be_known(void **state)
{
	static const uint8_t bases[] = {0x20, 0x40, 0x50, 0x80, 0x90};
	const struct cfi_section section = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(bases); i++) {
		struct cfi_bytes bytes = BYTES("\x01\x02\x03\x04");

		assert_int_equal(cfi_pointer(&section, &bytes, bases[i] | 3), 0);
		assert_true(bytes.is_bad);
	}
}

static void test_cut(void **state)
{
	static const uint8_t sizes[] = {8, 1, 2, 4, 8, 0, 0, 0, 0, 1, 2, 4, 8};

	(void)state;
	for (uint8_t format = 0; format < sizeof(sizes); format++) {
		static const uint8_t high[8] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};

		for (size_t size = 0; size < sizes[format]; size++) {
			struct cfi_bytes bytes = {high, high + size, false};

			cfi_value(&bytes, format);
			assert_true(bytes.is_bad);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_formats_that_are_none),
		cmocka_unit_test(test_bases),	cmocka_unit_test(test_bases_that_cannot_be_known),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
