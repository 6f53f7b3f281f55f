/* What all parts of a symbol of rustc are made of. */
#include "object/names/rust_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct rust_reader reader_of(const char *symbol)
{
	return (struct rust_reader){.symbol = symbol, .size = strlen(symbol)};
}

static uint64_t base_62(const char *symbol, bool *is_good_out)
{
	struct rust_reader reader = reader_of(symbol);
	uint64_t value = rust_read_base_62(&reader);

	*is_good_out = !reader.has_failed;
	return value;
}

static void test_base_62(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} cases[] = {{"_", 0},
		     {"0_", 1},
		     {"9_", 10},
		     {"a_", 11},
		     {"Z_", 62},
		     {"10_", 63},
		     {"lYGhA16ahye_", UINT64_MAX}};
	bool is_good;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(base_62(cases[i].text, &is_good) == cases[i].value);
		assert_true(is_good);
	}
}

static void test_numbers_that_are_none(void **state)
{
	static const char *const bad[] = {"", "1", "-_", "lYGhA16ahyf_", "ZZZZZZZZZZZZZZZ_"};
	bool is_good;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		base_62(bad[i], &is_good);
		assert_false(is_good);
	}
}

static void test_marked_numbers(void **state)
{
	struct rust_reader reader = reader_of("s_s0_x");

	(void)state;
	assert_int_equal(rust_read_marked(&reader, 's'), 1);
	assert_int_equal(rust_read_marked(&reader, 's'), 2);
	assert_int_equal(rust_read_marked(&reader, 's'), 0);
	assert_int_equal(reader.at, 5);
}

static void assert_identifier(const char *symbol, const char *text, bool is_punycode)
{
	struct rust_reader reader = reader_of(symbol);
	struct rust_identifier name = rust_read_plain_identifier(&reader);

	assert_false(reader.has_failed);
	assert_int_equal(name.size, strlen(text));
	assert_memory_equal(name.at, text, name.size);
	assert_int_equal(name.is_punycode, is_punycode);
	assert_int_equal(reader.at, reader.size);
}

static void test_identifiers(void **state)
{
	static const char *const bad[] = {"", "x", "4abc", "99999999999999999999_a", "u"};

	(void)state;
	assert_identifier("3foo", "foo", false);
	assert_identifier("3_1st", "1st", false); /* '_' ends the number where a digit follows */
	assert_identifier("0", "", false);
	assert_identifier("u8gdel_5qa", "gdel_5qa", true);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct rust_reader reader = reader_of(bad[i]);

		rust_read_plain_identifier(&reader);
		assert_true(reader.has_failed);
	}
}

/* To a place before the 'B' only: else reading would not end. */
static void test_going_back(void **state)
{
	struct rust_reader reader = reader_of("3fooB1_B_");
	size_t back;

	(void)state;
	reader.at = 5;
	assert_true(rust_enter_backref(&reader, &back));
	assert_int_equal(reader.at, 2);
	assert_int_equal(back, 7);
	assert_int_equal(reader.depth, 1);
	rust_leave_backref(&reader, back);
	assert_int_equal(reader.depth, 0);
	reader.symbol = "B_";
	reader.size = 2;
	reader.at = 1;
	assert_false(rust_enter_backref(&reader, &back));
	assert_true(reader.has_failed);
}

static void test_nothing_is_read_after_a_failure(void **state)
{
	struct rust_reader reader = reader_of("3foo");

	(void)state;
	rust_fail(&reader);
	assert_int_equal(rust_peek(&reader), '\0');
	assert_int_equal(rust_take(&reader), '\0');
	assert_false(rust_take_if(&reader, '3'));
	rust_put(&reader, "x");
	assert_int_equal(reader.out.length, 0);
	assert_int_equal(reader.at, 0);
}

static void test_depth_and_length_are_bounded(void **state)
{
	struct rust_reader deep = reader_of("x"), loud = reader_of("x");
	unsigned int depth = 0, puts = 0;

	(void)state;
	while (rust_enter(&deep) && depth < 100000)
		depth++;
	assert_int_equal(depth, 200);
	while (!loud.has_failed && puts++ < 100000)
		rust_put(&loud, "0123456789");
	assert_in_range(loud.out.length, 16384, 16400);
	textbuf_release(&loud.out);
}

static void test_lifetimes(void **state)
{
	struct rust_reader reader = reader_of("G0_G_");

	(void)state;
	assert_int_equal(rust_read_binder(&reader), 2);
	assert_int_equal(rust_read_binder(&reader), 1);
	rust_put_lifetime(&reader, 1);
	rust_put_lifetime(&reader, 3);
	rust_put_lifetime(&reader, 0);
	assert_string_equal(reader.out.data, "for<'a, 'b> for<'c> 'c'a'_");
	rust_put_lifetime(&reader, 4); /* is bound nowhere */
	assert_true(reader.has_failed);
	textbuf_release(&reader.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_62),
		cmocka_unit_test(test_numbers_that_are_none),
		cmocka_unit_test(test_marked_numbers),
		cmocka_unit_test(test_identifiers),
		cmocka_unit_test(test_going_back),
		cmocka_unit_test(test_nothing_is_read_after_a_failure),
		cmocka_unit_test(test_depth_and_length_are_bounded),
		cmocka_unit_test(test_lifetimes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
