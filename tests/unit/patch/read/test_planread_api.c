/* Plans of exported functions: their names in the cache, and where their trampolines are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "patch/plan/plan.h"
#include "patch/read/planread_api.h"

static void test_paths(void **state)
{
	char path[64] = "/cache/ab12.full.plan", other[64], none[64] = "/cache/ab12.full";

	(void)state;
	strcpy(other, path);
	assert_true(planapi_path(path, sizeof(path), "^f"));
	assert_memory_equal(path, "/cache/ab12.full.", 17);
	assert_int_equal(strlen(path), 17 + 16 + 4);
	assert_int_equal(strspn(path + 17, "0123456789abcdef"), 16);
	assert_string_equal(path + 33, ".api");
	assert_true(planapi_path(other, sizeof(other), "^g"));
	assert_string_not_equal(path, other);
	assert_false(planapi_path(none, sizeof(none), "^f"));
	assert_string_equal(none, "/cache/ab12.full");
}

static void test_no_room(void **state)
{
	char path[64] = "a.plan";

	(void)state;
	assert_false(planapi_path(path, 2 + 16 + 4, "x"));
	assert_string_equal(path, "a.plan");
	assert_true(planapi_path(path, 2 + 16 + 5, "x"));
	assert_int_equal(strlen(path), 2 + 16 + 4);
}

/* The jump that is never written tells it. */
static void test_trampolines(void **state)
{
	const struct plan_header header = {.text_start = 0x1000, .text_end = 0x2000};
	struct plan_write write = {.distance_at = 1, .after = {0xe9, 0xfb, 0xff, 0xff, 0xff}};
	const struct plan plan = {.header = &header, .writes = &write};
	struct plan_function function = {.way = PLAN_WAY_CALL, .write_count = 1};
	uint64_t at = plan_write_address(&header, &write);

	(void)state;
	assert_int_equal(planapi_trampoline(&plan, &function), at); /* to itself */
	write.after[1] = 0;
	write.after[2] = 1;
	memset(write.after + 3, 0, 2);
	assert_int_equal(planapi_trampoline(&plan, &function), at + 5 + 0x100);
	write.distance_at = 0;
	assert_int_equal(planapi_trampoline(&plan, &function), 0);
	write.distance_at = 1;
	function.write_count = 2;
	assert_int_equal(planapi_trampoline(&plan, &function), 0);
	function.write_count = 1;
	function.way = PLAN_WAY_NONE;
	assert_int_equal(planapi_trampoline(&plan, &function), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_trampolines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
