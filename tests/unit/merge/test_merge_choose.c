/* Which recordings are merged: each process once, calls rather than samples, in an order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/format.h"
#include "merge/inputs/merge_choose.h"
#include "merge/inputs/merge_inputs.h"

#define CALLS	KYMO_HEADER_PROFILE
#define SAMPLES KYMO_HEADER_SAMPLES

static struct merge_inputs inputs;

static void add(const char *path, uint32_t pid, uint32_t flags)
{
	inputs.items = realloc(inputs.items, (inputs.count + 1) * sizeof(*inputs.items));
	assert_non_null(inputs.items);
	inputs.items[inputs.count++] = (struct merge_input){
		.path = strdup(path),
		.run = strdup("run"),
		.run_id = {1},
		.pid = pid,
		.flags = flags,
		.start_realtime_ns = 1000 + pid,
		.process_count = 1,
	};
}

static void choose(void)
{
	struct problem problem = {""};

	assert_int_equal(merge_inputs_choose(&inputs, &problem), KYMO_OK);
}

static int tear_down(void **state)
{
	(void)state;
	merge_inputs_release(&inputs);
	return 0;
}

static void test_each_process_once(void **state)
{
	(void)state;
	add("b", 2, CALLS);
	add("a", 1, CALLS);
	add("copy-of-b", 2, CALLS);
	choose();
	assert_int_equal(inputs.count, 2);
	assert_string_equal(inputs.items[0].path, "a"); /* by their starts */
	assert_string_equal(inputs.items[1].path, "b");
	assert_int_equal(inputs.remark_count, 1);
	assert_string_equal(inputs.remarks[0], "'copy-of-b' is in 'b' already; taken once");
	assert_int_equal(inputs.problem_count, 0);
}

static void test_other_runs_have_other_processes(void **state)
{
	(void)state;
	add("a", 1, CALLS);
	add("b", 1, CALLS);
	inputs.items[1].run_id[0] = 2;
	choose();
	assert_int_equal(inputs.count, 2);
	assert_int_equal(inputs.remark_count, 0);
}

static void test_samples_are_left_out_beside_calls(void **state)
{
	(void)state;
	add("samples", 1, SAMPLES);
	add("both", 2, SAMPLES | CALLS);
	add("trace", 3, KYMO_HEADER_TRACE);
	choose();
	assert_int_equal(inputs.count, 2);
	assert_string_equal(inputs.items[0].path, "both");
	assert_int_equal(inputs.left_out, 1);
	assert_false(inputs.is_sampled);
}

static void test_samples_alone(void **state)
{
	(void)state;
	add("one", 1, SAMPLES);
	add("two", 2, SAMPLES);
	choose();
	assert_int_equal(inputs.count, 2);
	assert_true(inputs.is_sampled);
	assert_int_equal(inputs.left_out, 0);
}

/* One that is merged already is opened; a process goes on without it. */
static void test_merged_one_that_cannot_be_opened(void **state)
{
	(void)state;
	add("one", 1, CALLS);
	add("/nowhere/merged.kymo", 2, CALLS | KYMO_HEADER_MERGED);
	choose();
	assert_int_equal(inputs.count, 1);
	assert_string_equal(inputs.items[0].path, "one");
	assert_int_equal(inputs.problem_count, 1);
	assert_non_null(strstr(inputs.problems[0], "/nowhere/merged.kymo"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_each_process_once, tear_down),
		cmocka_unit_test_teardown(test_other_runs_have_other_processes, tear_down),
		cmocka_unit_test_teardown(test_samples_are_left_out_beside_calls, tear_down),
		cmocka_unit_test_teardown(test_samples_alone, tear_down),
		cmocka_unit_test_teardown(test_merged_one_that_cannot_be_opened, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
