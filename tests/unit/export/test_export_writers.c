/* The small writers byte for byte: marshal, protobuf, decimals. */
#include "export/decimal.h"
#include "export/formats/marshal.h"
#include "export/formats/protobuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static struct export_sink *opened(void)
{
	struct export_sink *sink = NULL;

	assert_int_equal(sink_open("/dev/null", true, &sink, NULL), KYMO_OK);
	return sink;
}

/* The sink holds exactly these bytes; it is emptied. */
static void assert_holds(struct export_sink *sink, const void *bytes, size_t size)
{
	assert_int_equal(sink_bytes(sink) - sink->flushed, size);
	assert_memory_equal(sink->buffer, bytes, size);
	sink_flush(sink);
}

#define ASSERT_HOLDS(sink, literal) assert_holds(sink, literal, sizeof(literal) - 1)

/* Expected bytes: marshal.dumps(value, 2) of CPython. */
static void test_marshal_integers(void **state)
{
	struct export_sink *sink = opened();

	(void)state;
	marshal_integer(sink, 0);
	ASSERT_HOLDS(sink, "i\0\0\0\0");
	marshal_integer(sink, -2);
	ASSERT_HOLDS(sink, "i\xfe\xff\xff\xff");
	marshal_integer(sink, INT32_MAX);
	ASSERT_HOLDS(sink, "i\xff\xff\xff\x7f");
	marshal_integer(sink, (int64_t)INT32_MAX + 1);
	ASSERT_HOLDS(sink, "l\x03\0\0\0\0\0\0\0\x02\0");
	marshal_integer(sink, INT64_MAX);
	ASSERT_HOLDS(sink, "l\x05\0\0\0\xff\x7f\xff\x7f\xff\x7f\xff\x7f\x07\0");
	marshal_integer(sink, INT64_MIN);
	ASSERT_HOLDS(sink, "l\xfb\xff\xff\xff\0\0\0\0\0\0\0\0\x08\0");
	sink_abandon(sink);
}

static void test_marshal_floats_and_containers(void **state)
{
	struct export_sink *sink = opened();

	(void)state;
	marshal_float(sink, 1.5);
	ASSERT_HOLDS(sink, "g\0\0\0\0\0\0\xf8\x3f");
	marshal_dict_begin(sink);
	marshal_tuple(sink, 1);
	marshal_text(sink, "fib");
	marshal_integer(sink, 1);
	marshal_dict_end(sink);
	ASSERT_HOLDS(sink, "{(\1\0\0\0u\3\0\0\0fibi\1\0\0\0"
			   "0");
	sink_abandon(sink);
}

static void test_marshal_text_is_what_cpython_reads(void **state)
{
	struct export_sink *sink = opened();

	(void)state;
	marshal_text(sink, "");
	ASSERT_HOLDS(sink, "u\0\0\0\0");
	marshal_text(sink, "\xc3\xa4\xed\xb2\x80"); /* a surrogate passes */
	ASSERT_HOLDS(sink, "u\5\0\0\0\xc3\xa4\xed\xb2\x80");
	marshal_text(sink, "a\xff\xed\xa0"); /* cut sequences do not */
	ASSERT_HOLDS(sink, "u\4\0\0\0a???");
	sink_abandon(sink);
}

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

static void assert_decimal(uint64_t value, const char *plain, const char *microseconds)
{
	unsigned char text[32];

	*decimal_put(text, value) = '\0';
	assert_string_equal((char *)text, plain);
	*decimal_put_us(text, value) = '\0';
	assert_string_equal((char *)text, microseconds);
}

static void test_decimals(void **state)
{
	(void)state;
	assert_decimal(0, "0", "0.000");
	assert_decimal(7, "7", "0.007");
	assert_decimal(1050, "1050", "1.050");
	assert_decimal(UINT64_MAX, "18446744073709551615", "18446744073709551.615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marshal_integers),
		cmocka_unit_test(test_marshal_floats_and_containers),
		cmocka_unit_test(test_marshal_text_is_what_cpython_reads),
		cmocka_unit_test(test_varints_of_all_lengths),
		cmocka_unit_test(test_fields_carry_number_and_wire_type),
		cmocka_unit_test(test_opened_message_gets_its_length),
		cmocka_unit_test(test_decimals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
