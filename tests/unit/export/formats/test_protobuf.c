/* Protocol buffers byte for byte. */
#include "export/formats/protobuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

static uint64_t read_varint(const unsigned char **at)
{
	uint64_t value = 0;
	int shift = 0;

	for (;; shift += 7) {
		value |= (uint64_t)(**at & 0x7f) << shift;
		if (!(*(*at)++ & 0x80))
			return value;
	}
}

static void test_varints_of_all_lengths(void **state)
{
	unsigned char bytes[PROTOBUF_VARINT_MAX + 1];

	(void)state;
	for (int bit = 0; bit < 64; bit++) {
		for (int step = -1; step <= 1; step++) {
			uint64_t value = (UINT64_C(1) << bit) + (uint64_t)(int64_t)step;
			const unsigned char *at = bytes;
			unsigned char *end = protobuf_varint(bytes, value);

			assert_int_equal(end - bytes, protobuf_varint_size(value));
			assert_int_equal(read_varint(&at), value);
			assert_ptr_equal(at, end);
		}
	}
	assert_int_equal(protobuf_varint_size(0), 1);
	assert_int_equal(protobuf_varint_size(UINT64_MAX), PROTOBUF_VARINT_MAX);
}

static void test_fields_carry_number_and_wire_type(void **state)
{
	unsigned char bytes[64], *end;

	(void)state;
	end = protobuf_uint(bytes, 13, 2);
	assert_int_equal(end - bytes, 2);
	assert_memory_equal(bytes, "\x68\x02", 2);
	end = protobuf_string(bytes, 60, "ab"); /* a tag of two bytes */
	assert_int_equal(end - bytes, 5);
	assert_memory_equal(bytes,
			    "\xe2\x03\x02"
			    "ab",
			    5);
	end = protobuf_double(bytes, 1, 1.5);
	assert_int_equal(end - bytes, 9);
	assert_memory_equal(bytes, "\x09\0\0\0\0\0\0\xf8\x3f", 9);
}

static void test_opened_message_gets_its_length(void **state)
{
	static const size_t lengths[] = {0, 1, 127, 128, 16384, 60000};
	unsigned char *bytes = malloc(70000);

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		unsigned char *content = protobuf_open(bytes, 11);
		const unsigned char *at = bytes + 1;

		protobuf_close(content, content + lengths[i]);
		assert_int_equal(bytes[0], 11 << 3 | PROTOBUF_BYTES);
		assert_int_equal(read_varint(&at), lengths[i]);
		assert_ptr_equal(at, content);
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_varints_of_all_lengths),
		cmocka_unit_test(test_fields_carry_number_and_wire_type),
		cmocka_unit_test(test_opened_message_gets_its_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
