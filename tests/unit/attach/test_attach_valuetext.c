/* Values of Python objects as text: as repr() has them, in bounds, without secrets. */
#include "attach/python/valuetext.h"

#include "pyobjects_fixture.h"

static char text[VALUETEXT_SIZE];

static const char *text_of(uint64_t object, const char *name)
{
	memset(text, 'x', sizeof(text));
	valuetext(&objects, object, name, text);
	return text;
}

/* Digits of 30 bits; the sign is the size's. */
static uint64_t make_int(const char *type, uint64_t amount, int sign)
{
	const uint32_t digits[3] = {amount & 0x3fffffff, amount >> 30 & 0x3fffffff,
				    (uint32_t)(amount >> 60)};
	int64_t count = digits[2] ? 3 : digits[1] ? 2 : digits[0] ? 1 : 0;
	uint64_t object = make_object(make_type(type, PYOBJECT_LONG), (uint64_t)(count * sign), 40);

	synthetic_python_put(&python, object + 24, digits, sizeof(digits));
	return object;
}

static uint64_t make_float(double value)
{
	uint64_t word;

	memcpy(&word, &value, sizeof(word));
	return make_object(make_type("float", 0), word, 24);
}

static uint64_t make_tuple(const uint64_t *items, size_t count)
{
	uint64_t object = make_object(make_type("tuple", PYOBJECT_TUPLE), count, 24 + 8 * count);

	synthetic_python_put(&python, object + 24, items, 8 * count);
	return object;
}

static uint64_t make_bytes(const char *bytes, size_t length)
{
	const uint32_t at = python.runtime.layout.object.bytes_data;
	uint64_t object = make_object(make_type("bytes", PYOBJECT_BYTES), length, at + length);

	synthetic_python_put(&python, object + at, bytes, length);
	return object;
}

static void test_numbers(void **state)
{
	(void)state;
	assert_string_equal(text_of(make_int("int", 0, 1), NULL), "0");
	assert_string_equal(text_of(make_int("int", 42, -1), NULL), "-42");
	assert_string_equal(text_of(make_int("int", UINT64_MAX, 1), NULL), "18446744073709551615");
	assert_string_equal(text_of(make_int("bool", 1, 1), NULL), "True");
	assert_string_equal(text_of(make_int("bool", 0, 1), NULL), "False");
	assert_string_equal(text_of(make_int("Colour", 3, 1), NULL), "Colour(3)");
	assert_string_equal(text_of(make_float(0.1), NULL), "0.1");
	assert_string_equal(text_of(make_float(-2), NULL), "-2.0");
	assert_string_equal(text_of(make_float(1.0 / 3), NULL), "0.3333333333333333");
	assert_string_equal(text_of(make_object(make_type("NoneType", 0), 0, 24), NULL), "None");
	assert_string_equal(text_of(8, NULL), "<?>"); /* nothing lies there */
}

static void test_texts(void **state)
{
	char many[200];

	(void)state;
	assert_string_equal(text_of(make_text("it's \\ a\n\x1b"), NULL), "'it\\'s \\\\ a\\n\\x1b'");
	memset(many, 'a', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	text_of(make_text(many), NULL);
	assert_non_null(strstr(text, "aaa'… (199 characters)"));
	assert_string_equal(text_of(make_bytes("ab", 2), NULL), "b'ab'");
	assert_string_equal(text_of(make_bytes("\x00\xff", 2), NULL), "<2 bytes>");
	text_of(make_bytes(many, 100), NULL);
	assert_non_null(strstr(text, "a'… (100 bytes)"));
}

static void test_containers(void **state)
{
	uint64_t items[9], one = make_int("int", 1, 1), nested;

	(void)state;
	for (size_t i = 0; i < 9; i++)
		items[i] = one;
	assert_string_equal(text_of(make_tuple(items, 0), NULL), "()");
	assert_string_equal(text_of(make_tuple(items, 1), NULL), "(1,)");
	assert_string_equal(text_of(make_tuple(items, 2), NULL), "(1, 1)");
	assert_string_equal(text_of(make_tuple(items, 9), NULL), "(1, 1, 1, 1, 1, 1, … 9 items)");
	nested = make_tuple(items, 1);
	for (int i = 0; i < 3; i++)
		nested = make_tuple(&nested, 1);
	assert_string_equal(text_of(nested, NULL), "((((1,),),),)");
	nested = make_tuple(&nested, 1); /* too deep: the innermost by its address */
	assert_non_null(strstr(text_of(nested, NULL), "((((<tuple at 0x"));
	items[0] = 8;
	assert_string_equal(text_of(make_tuple(items, 2), NULL), "(<?>, 1)");
}

static void test_secrets(void **state)
{
	(void)state;
	assert_string_equal(text_of(make_int("int", 7, 1), "password"), "***");
	assert_string_equal(text_of(make_int("int", 7, 1), "place"), "7");
	text_of(make_text("https://me:hunter2@host/"), NULL);
	assert_null(strstr(text, "hunter2"));
	assert_non_null(strstr(text, "***@host"));
}

/* However much there is, it ends with an ellipsis, within its bounds. */
static void test_full(void **state)
{
	char many[110];
	uint64_t items[6];

	(void)state;
	memset(many, 'b', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	for (size_t i = 0; i < 6; i++)
		items[i] = make_text(many);
	text_of(make_tuple(items, 6), NULL);
	assert_in_range(strlen(text), VALUETEXT_SIZE - 8, VALUETEXT_SIZE - 1);
	assert_string_equal(text + strlen(text) - strlen("b…"), "b…");
}

static void test_names(void **state)
{
	char name[] = "a.b_C9 \x1b[2J\xc3\xa9(";

	(void)state;
	valuetext_clean_name(name);
	assert_string_equal(name, "a.b_C9???2J\xc3\xa9?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_numbers, set_up_objects),
		cmocka_unit_test_setup(test_texts, set_up_objects),
		cmocka_unit_test_setup(test_containers, set_up_objects),
		cmocka_unit_test_setup(test_secrets, set_up_objects),
		cmocka_unit_test_setup(test_full, set_up_objects),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
