/* Processes are known by run, number and start, wherever they are recorded. */
#include "model/recording/process_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define PARTS 4

/* Two processes of two threads each, as a merged recording has them. */
static void make_merged(struct recording *recording, struct recording_part parts[PARTS],
			uint32_t first_pid)
{
	*recording = (struct recording){.parts = parts, .part_count = PARTS};
	for (uint32_t i = 0; i < PARTS; i++)
		parts[i] = (struct recording_part){.run_id = {1},
						   .pid = first_pid + i / 2,
						   .start_realtime_ns = 7,
						   .thread = i};
}

static void test_each_is_found_once(void **state)
{
	struct recording_part parts[PARTS], others[PARTS];
	struct recording merged, other, single = {.header = {.run_id = {1}, .pid = 11}};
	struct process_set set = {0};
	const char *path = NULL;
	size_t total;

	(void)state;
	make_merged(&merged, parts, 10);
	make_merged(&other, others, 11);
	single.header.start_realtime_ns = 7;
	assert_int_equal(process_set_count(&set, &merged, &path, &total), 0);
	assert_int_equal(total, 2);
	assert_null(path);
	assert_true(process_set_add_all(&set, &merged, "merged"));
	assert_int_equal(set.count, 2);
	assert_int_equal(process_set_count(&set, &single, &path, &total), 1);
	assert_int_equal(total, 1);
	assert_string_equal(path, "merged");
	assert_int_equal(process_set_count(&set, &other, &path, &total), 1);
	assert_int_equal(total, 2);
	assert_true(process_set_add_all(&set, &single, "single"));
	assert_int_equal(set.count, 2);
	process_set_release(&set);
}

static void test_who_differs_in_anything_is_another_one(void **state)
{
	const struct process_id id = {{1}, 7, 11},
				others[] = {{{2}, 7, 11}, {{1}, 8, 11}, {{1}, 7, 12}};
	struct process_set set = {0};

	(void)state;
	assert_true(process_set_add(&set, &id, "a"));
	assert_string_equal(process_set_find(&set, &id), "a");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_null(process_set_find(&set, &others[i]));
	process_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_is_found_once),
		cmocka_unit_test(test_who_differs_in_anything_is_another_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
