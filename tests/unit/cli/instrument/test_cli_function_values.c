/* What the collector is told of arguments and return values. */
#include "cli/instrument/function_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "format/planvalues.h"

static const char *const path = "/no/such/file"; /* that has debug information */

/* Names a, b, c … of functions that are asked for. */
static void wish(struct function_wish *wishes, size_t count, bool is_possible)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

	for (size_t i = 0; i < count; i++)
		wishes[i] = (struct function_wish){(uint32_t)i, FUNCTION_WANTS_ARGUMENTS,
						   (char *)names[i], 0x1000 + 16 * i, is_possible};
}

/* The collector reads what is made, also where there is nothing. */
static void assert_empty(const struct function_value_list *list, uint64_t index_end)
{
	struct values values;

	assert_int_equal(list->size % 8, 0);
	assert_true(values_read(list->bytes, list->size, index_end, &values));
	assert_int_equal(values.function_count, 0);
	assert_null(values_find(&values, 0));
}

static void test_no_function(void **state)
{
	struct function_value_list list;

	(void)state;
	assert_int_equal(function_values_make(path, NULL, 0, &list, NULL), KYMO_OK);
	assert_empty(&list, 0);
	assert_null(list.missing);
	function_values_release(&list);
	assert_null(list.bytes);
}

static void test_without_debug_information_it_is_said(void **state)
{
	struct function_value_list list;
	struct function_wish wishes[2];

	(void)state;
	wish(wishes, 2, true);
	wishes[1].name = NULL;
	assert_int_equal(function_values_make(path, wishes, 2, &list, NULL), KYMO_OK);
	assert_empty(&list, 2);
	assert_string_equal(list.missing,
			    "'/no/such/file': no arguments and return values of a, ?: it has no "
			    "debug information (compile it with -g)");
	function_values_release(&list);
}

/* One that the compiler has made of another is not looked for; not all are named. */
static void test_many_are_counted(void **state)
{
	struct function_value_list list;
	struct function_wish wishes[10];

	(void)state;
	wish(wishes, 10, false);
	assert_int_equal(function_values_make(path, wishes, 10, &list, NULL), KYMO_OK);
	assert_non_null(strstr(list.missing, " of a, b, c, d, e, f, g, h and 2 more: "));
	function_values_release(&list);
	assert_int_equal(function_values_make(path, wishes, 8, &list, NULL), KYMO_OK);
	assert_non_null(strstr(list.missing, " of a, b, c, d, e, f, g, h: "));
	function_values_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_function),
		cmocka_unit_test(test_without_debug_information_it_is_said),
		cmocka_unit_test(test_many_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
