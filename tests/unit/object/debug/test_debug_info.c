/* What the debug information of this very program says of its functions. */
#include "object/debug/debug_info.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "object/debug/debug_fixture.h"

static const struct debug_request whole = {.path = THIS_PROGRAM, .has_functions = true};

enum { FIRST_LINE = __LINE__ + 2 };
__attribute__((noinline)) int debug_info_asked(volatile int *value);
int debug_info_asked(volatile int *value)
{
	return ++*value;
}

static struct debug_info *open_this(const struct debug_request *request)
{
	enum debug_obstacle obstacle;
	struct debug_info *info = debug_info_open(request, &obstacle);
	struct debug_function function;

	if (!info || debug_info_find(info, FILE_ADDRESS(debug_info_asked), &function, 1) == 0) {
		debug_info_close(info);
		skip(); /* built without libdw, or without debug information */
	}
	return info;
}

static void test_function_has_name_file_and_lines(void **state)
{
	struct debug_info *info = open_this(&whole);
	struct debug_function function = {.name = NULL};

	(void)state;
	assert_int_equal(debug_info_find(info, FILE_ADDRESS(debug_info_asked), &function, 1), 1);
	assert_string_equal(function.name, "debug_info_asked");
	assert_non_null(function.file);
	assert_non_null(strstr(function.file, "test_debug_info.c"));
	assert_in_range(function.first_line, FIRST_LINE - 1, FIRST_LINE + 1);
	assert_in_range(function.line, FIRST_LINE - 1, FIRST_LINE + 4);
	assert_false(function.is_inlined);
	debug_info_close(info);
}

static void test_nothing_is_known_of_no_code(void **state)
{
	struct debug_info *info = open_this(&whole);
	struct debug_function function;

	(void)state;
	assert_int_equal(debug_info_find(info, 1, &function, 1), 0);
	assert_int_equal(debug_info_find(info, UINT64_MAX, &function, 1), 0);
	debug_info_close(info);
}

static void test_start_is_where_the_function_begins(void **state)
{
	struct debug_info *info = open_this(&whole);
	uint64_t address = FILE_ADDRESS(debug_info_asked), start = 0;

	(void)state;
	assert_true(debug_info_start(info, address + 1, &start));
	assert_int_equal(start, address);
	assert_false(debug_info_start(info, 1, &start));
	debug_info_close(info);
}

static void test_obstacles_are_named(void **state)
{
	static const struct {
		struct debug_request request;
		enum debug_obstacle obstacle;
	} cases[] = {
		{{.path = "/nowhere/x", .has_functions = true}, DEBUG_FILE_MISSING},
		{{.path = "/proc/self/maps", .has_functions = true}, DEBUG_FILE_FOREIGN},
		{{.path = THIS_PROGRAM, .build_id = "0123456789abcdef", .has_functions = true},
		 DEBUG_FILE_CHANGED},
	};

	(void)state;
	debug_info_close(open_this(&whole)); /* skips where there is no libdw */
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		enum debug_obstacle obstacle = DEBUG_FILE_READ;

		debug_info_close(debug_info_open(&cases[i].request, &obstacle));
		if (i == 1) /* a file without a size may count as none */
			assert_int_not_equal(obstacle, DEBUG_FILE_READ);
		else
			assert_int_equal(obstacle, cases[i].obstacle);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function_has_name_file_and_lines),
		cmocka_unit_test(test_nothing_is_known_of_no_code),
		cmocka_unit_test(test_start_is_where_the_function_begins),
		cmocka_unit_test(test_obstacles_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
