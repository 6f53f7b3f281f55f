/* Cursors of all runs: one each, and what could not be read is told. */
#include "merge/inputs/merge_cursors.h"

#include <errno.h>

#include "spilled_fixture.h"

static void spill_one(const char *name)
{
	spilled_calls(spilled_root(), name, 1, 1);
	spill_now();
}

static void test_one_each(void **state)
{
	static const char *const names[] = {"a", "b", "c"};
	struct merge_cursor *cursors;
	struct problem problem = {""};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		spill_one(names[i]);
	cursors = merge_cursors_new(&spill, false);
	assert_non_null(cursors);
	for (size_t i = 0; i < 3; i++) { /* beside each other */
		merge_cursor_next_region(&cursors[i]);
		assert_string_equal(cursors[i].region.texts[0], names[i]);
	}
	assert_int_equal(merge_cursors_check(cursors, 3, &problem), KYMO_OK);
	merge_cursors_free(cursors, 3);
	cursors = merge_cursors_new(&spill, true);
	assert_non_null(cursors);
	merge_cursor_next_node(&cursors[2]);
	assert_int_equal(cursors[2].depth, 0);
	merge_cursor_next_node(&cursors[2]);
	assert_int_equal(cursors[2].depth, 1);
	merge_cursors_free(cursors, 3);
}

static void test_none(void **state)
{
	struct merge_cursor *cursors = merge_cursors_new(&spill, true);
	struct problem problem;

	(void)state;
	assert_non_null(cursors);
	assert_int_equal(merge_cursors_check(cursors, 0, &problem), KYMO_OK);
	merge_cursors_free(cursors, 0);
	merge_cursors_free(NULL, 3);
}

static void test_file_that_is_too_short(void **state)
{
	struct merge_cursor *cursors;
	struct problem problem = {""};

	(void)state;
	spill_one("a");
	spill_one("b");
	assert_int_equal(ftruncate(spill.fd, (off_t)spill.runs[1].regions_at + 1), 0);
	cursors = merge_cursors_new(&spill, false);
	for (size_t i = 0; i < 2; i++)
		merge_cursor_next_region(&cursors[i]);
	errno = 0;
	assert_int_equal(merge_cursors_check(cursors, 1, &problem), KYMO_OK);
	assert_int_equal(merge_cursors_check(cursors, 2, &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, strerror(EIO)));
	merge_cursors_free(cursors, 2);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_spill, end_spill)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_one_each),
		CASE(test_none),
		CASE(test_file_that_is_too_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
