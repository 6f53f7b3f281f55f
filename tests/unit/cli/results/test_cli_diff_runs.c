/* The runs of a comparison, opened. */
#include "cli/results/diff_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/folder_fixture.h"
#include "synthetic.h"

static void put_run(const char *path)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t thread = synthetic_thread(made, KYMO_NO_THREAD, "MainThread", 0);

	synthetic_enter(made, thread, synthetic_region(made, KYMO_REGION_PYTHON, "f"), 100);
	synthetic_close(made, 1000);
	assert_int_equal(synthetic_write(made, path), 0);
	synthetic_free(made);
}

static void assert_opened(const char *before, const char *after, size_t first, size_t second)
{
	struct diff_loaded loaded = {.wants_samples = false};
	struct problem problem = {""};

	if (diff_loaded_pair(&loaded, before, after, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	assert_int_equal(loaded.count[DIFF_BEFORE], first);
	assert_int_equal(loaded.count[DIFF_AFTER], second);
	assert_false(loaded.wants_samples);
	diff_loaded_release(&loaded);
	assert_int_equal(loaded.count[DIFF_BEFORE], 0);
}

static void test_lists(void **state)
{
	(void)state;
	put_run("a.kymo");
	put_run("b.kymo");
	assert_opened("a.kymo", "b.kymo", 1, 1);
	assert_opened("a.kymo,b.kymo", "b.kymo", 2, 1);
}

static void test_a_path_with_commas(void **state)
{
	(void)state;
	put_run("a,b.kymo");
	assert_opened("a,b.kymo", "a,b.kymo", 1, 1);
}

/* What was opened before is closed as ever. */
static void test_a_run_that_is_not_there(void **state)
{
	struct diff_loaded loaded = {.wants_samples = false};
	struct problem problem = {""};

	(void)state;
	put_run("a.kymo");
	assert_true(diff_loaded_pair(&loaded, "a.kymo,absent.kymo", "a.kymo", &problem) < 0);
	assert_non_null(strstr(problem.text, "absent.kymo"));
	assert_int_equal(loaded.count[DIFF_BEFORE], 1);
	assert_int_equal(loaded.count[DIFF_AFTER], 0);
	diff_loaded_release(&loaded);
}

static void test_no_more_than_there_is_room_for(void **state)
{
	struct diff_loaded loaded = {.count = {OPTION_WORDS_MAX, 0}};
	struct problem problem;

	(void)state;
	assert_int_equal(diff_loaded_pair(&loaded, "a", "b", &problem), KYMO_USAGE);
	assert_string_equal(problem.text, "at most 64 runs a side; 'kymo merge' makes one of them");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_lists),
		IN_FOLDER(test_a_path_with_commas),
		IN_FOLDER(test_a_run_that_is_not_there),
		cmocka_unit_test(test_no_more_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
