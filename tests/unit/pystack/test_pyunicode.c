/* Texts of each kind, cut texts, and what only looks like a text. */
#include "pystack/pyunicode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "synthetic_python.h"

#define TYPE 0x424240u

static struct synthetic_python python;
static char text[64];

/* A str object of so many characters of so many bytes. */
static uint64_t make(const void *characters, uint64_t length, unsigned kind, bool is_compact,
		     bool is_ascii)
{
	const struct pylayout *layout = &python.runtime.layout;
	uint32_t state = (kind | (is_compact ? 8u : 0) | (is_ascii ? 16u : 0))
			 << layout->object.kind_shift;
	uint64_t object = synthetic_python_room(&python, 128), data = object;

	synthetic_python_word(&python, object + layout->object.type, TYPE);
	synthetic_python_word(&python, object + layout->object.length, length);
	synthetic_python_put(&python, object + layout->object.state, &state, sizeof(state));
	data += is_ascii ? layout->object.ascii_data : layout->object.compact_data;
	if (!is_compact) {
		data = synthetic_python_room(&python, 256);
		synthetic_python_word(&python, object + layout->object.unicode_data, data);
	}
	if (characters) {
		synthetic_python_room(&python, length * kind);
		synthetic_python_put(&python, data, characters, length * kind);
	}
	return object;
}

static const char *read_text(uint64_t object, size_t size)
{
	struct pyreader reader;
	uint64_t type = 0;

	memset(text, '#', sizeof(text));
	pyreader_begin(&reader, &python.memory);
	if (!pyunicode_read(&python.runtime.layout, &reader, object, text, size, &type))
		return NULL;
	assert_int_equal(type, TYPE);
	return text;
}

static void test_kinds(void **state)
{
	static const uint16_t two[] = {'a', 0x439, 0xd800, 0x20ac};
	static const uint32_t four[] = {0x1f600, 'z'};

	(void)state;
	for (uint16_t version = 0x0308; version <= 0x0310; version++) {
		synthetic_python_init(&python, version);
		assert_string_equal(read_text(make("name", 4, 1, true, true), 64), "name");
		assert_string_equal(read_text(make("na\xefve", 5, 1, true, false), 64),
				    "na\xc3\xafve");
		assert_string_equal(read_text(make(two, 4, 2, true, false), 64),
				    "a\xd0\xb9\xed\xa0\x80\xe2\x82\xac");
		assert_string_equal(read_text(make(four, 2, 4, true, false), 64),
				    "\xf0\x9f\x98\x80z");
		assert_string_equal(read_text(make("apart", 5, 1, false, true), 64), "apart");
		assert_string_equal(read_text(make("", 0, 1, true, true), 64), "");
		assert_string_equal(read_text(make("a\0b", 3, 1, true, true), 64), "a\xef\xbf\xbd"
										   "b");
	}
}

static void test_cut_between_characters(void **state)
{
	static const uint32_t characters[] = {'a', 0x1f600, 'b'};
	uint64_t object;

	(void)state;
	synthetic_python_init(&python, 0x030c);
	object = make(characters, 3, 4, true, false);
	assert_string_equal(read_text(object, 1), "");
	assert_string_equal(read_text(object, 2), "a");
	assert_string_equal(read_text(object, 5), "a");
	assert_string_equal(read_text(object, 6), "a\xf0\x9f\x98\x80");
	assert_string_equal(read_text(object, 7), "a\xf0\x9f\x98\x80"
						  "b");
	assert_int_equal(text[7], '#');
}

static void test_no_texts(void **state)
{
	static const uint32_t wrong[] = {0x110000};

	(void)state;
	synthetic_python_init(&python, 0x030d);
	for (unsigned kind = 0; kind < 8; kind++)
		if (kind != 1 && kind != 2 && kind != 4)
			assert_null(read_text(make(NULL, 3, kind, true, false), 64));
	assert_null(read_text(make(NULL, 3, 2, true, true), 64)); /* ASCII of two bytes */
	assert_null(read_text(make(NULL, UINT64_MAX, 1, true, true), 64));
	assert_null(read_text(make(wrong, 1, 4, true, false), 64));
	assert_null(read_text(0, 64));
	assert_null(read_text(SYNTHETIC_PYTHON_BASE + 3, 64));
	assert_null(read_text(SYNTHETIC_PYTHON_BASE + SYNTHETIC_PYTHON_SIZE - 8, 64));
	/* Longer than the memory, which is only seen where the text is not cut before. */
	assert_non_null(read_text(make(NULL, 1u << 30, 1, true, true), 16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_cut_between_characters),
		cmocka_unit_test(test_no_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
