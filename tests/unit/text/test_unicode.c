/* What Unicode says of characters, with utf8proc and without it. */
#include "text/unicode.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_cells(void **state)
{
	const bool is_known = unicode_is_known();

	(void)state;
	for (uint32_t code = 0x20; code < 0x7f; code++)
		assert_int_equal(unicode_cells(code), 1);
	assert_int_equal(unicode_cells(0xe4), 1);
	assert_int_equal(unicode_cells(0x301), is_known ? 0 : 1);   /* combining acute */
	assert_int_equal(unicode_cells(0x6f22), is_known ? 2 : 1);  /* a Han character */
	assert_int_equal(unicode_cells(0x1f600), is_known ? 2 : 1); /* a face */
}

static void test_no_code_is_wider_than_two(void **state)
{
	(void)state;
	for (uint32_t code = 0; code < 0x20000; code++)
		assert_in_range(unicode_cells(code), 0, 2);
	assert_in_range(unicode_cells(0xffffffff), 0, 1);
}

static void test_breaks(void **state)
{
	const bool is_known = unicode_is_known();
	int32_t flags = 0;

	(void)state;
	assert_true(unicode_is_break('a', 'b', &flags));
	flags = 0;
	assert_int_equal(unicode_is_break('a', 0x301, &flags), !is_known);
	/* Two flags are four letters: between them there is a break, inside there is none. */
	flags = 0;
	assert_int_equal(unicode_is_break(0x1f1e9, 0x1f1ea, &flags), !is_known);
	assert_true(unicode_is_break(0x1f1ea, 0x1f1eb, &flags));
	assert_int_equal(unicode_is_break(0x1f1eb, 0x1f1f7, &flags), !is_known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_no_code_is_wider_than_two),
		cmocka_unit_test(test_breaks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
