/* Items of lists that people write. */
#include "base/text/listitem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_separators_and_quotes(void **state)
{
	static const char *const expected[] = {"a", "b c", "d{1,2}", "^<.*>$", "'x"};
	const char *rest = " a, \"b c\";'d{1,2}'\t^<.*>$\n,, 'x", *item;
	size_t length, count = 0;

	(void)state;
	while (listitem_next(&rest, &item, &length)) {
		assert_in_range(count, 0, 4);
		assert_int_equal(length, strlen(expected[count]));
		assert_memory_equal(item, expected[count], length);
		count++;
	}
	assert_int_equal(count, 5);
}

static void test_nothing(void **state)
{
	const char *rest = " ,;\t\n", *item;
	size_t length;

	(void)state;
	assert_false(listitem_next(&rest, &item, &length));
	rest = "";
	assert_false(listitem_next(&rest, &item, &length));
}

static void test_an_empty_item_is_one(void **state)
{
	const char *rest = "\"\",x", *item;
	size_t length;

	(void)state;
	assert_true(listitem_next(&rest, &item, &length));
	assert_int_equal(length, 0);
	assert_true(listitem_next(&rest, &item, &length));
	assert_memory_equal(item, "x", 1);
	assert_false(listitem_next(&rest, &item, &length));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_separators_and_quotes),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_an_empty_item_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
