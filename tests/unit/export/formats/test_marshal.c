/* Marshal byte for byte. */
#include "export/formats/marshal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marshal_integers),
		cmocka_unit_test(test_marshal_floats_and_containers),
		cmocka_unit_test(test_marshal_text_is_what_cpython_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
