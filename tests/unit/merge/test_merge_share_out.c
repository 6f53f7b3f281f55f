/* Processes that share a merge: what each tells, and one that ends without a word. */
#include "merge/merge_share_out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/kymo-test-share-XXXXXX";
static struct merge_worker first;
static struct problem problem;

static int set_up(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	return merge_worker_init(&first, folder, "plan", 0, &problem) == KYMO_OK ? 0 : -1;
}

/* Nothing is left behind. */
static int tear_down(void **state)
{
	(void)state;
	merge_worker_remove_all(&first);
	merge_worker_release(&first);
	return rmdir(folder);
}

/* Another process, which works and ends. */
static void work_as(uint32_t number, const struct merge_done *done)
{
	struct merge_worker worker;
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (merge_worker_init(&worker, folder, "plan", number, &problem) != KYMO_OK)
			_exit(1);
		if (done && merge_worker_report(&worker, done, &problem) != KYMO_OK)
			_exit(2);
		merge_worker_release(&worker);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void test_what_is_told(void **state)
{
	char *lines[] = {(char *)(uintptr_t) "cannot read 'a'", (char *)(uintptr_t) "nor 'b'"};
	const struct merge_done done = {
		.status = KYMO_OK, .has_part = true, .lines = lines, .line_count = 2};
	struct merge_done told;

	(void)state;
	work_as(1, &done);
	assert_int_equal(merge_worker_wait(&first, 1, &told, &problem), KYMO_OK);
	assert_int_equal(told.status, KYMO_OK);
	assert_true(told.has_part);
	assert_null(told.problem);
	assert_int_equal(told.line_count, 2);
	assert_string_equal(told.lines[1], "nor 'b'");
	merge_done_release(&told);
	assert_int_equal(told.line_count, 0);
}

static void test_one_that_failed(void **state)
{
	const struct merge_done done = {.status = KYMO_FORMAT,
					.problem = (char *)(uintptr_t) "it is damaged"};
	struct merge_done told;

	(void)state;
	work_as(3, &done);
	assert_int_equal(merge_worker_wait(&first, 3, &told, &problem), KYMO_OK);
	assert_int_equal(told.status, KYMO_FORMAT);
	assert_false(told.has_part);
	assert_string_equal(told.problem, "it is damaged");
	merge_done_release(&told);
}

/* Nobody waits for it: it has let go of its lock. */
static void test_one_that_is_gone(void **state)
{
	struct merge_done told;

	(void)state;
	work_as(2, NULL);
	assert_int_equal(merge_worker_wait(&first, 2, &told, &problem), KYMO_ERROR);
	assert_non_null(strstr(problem.text, "process 2 of those that share the work ended"));
}

/* What an earlier try told does not count. */
static void test_the_same_once_more(void **state)
{
	const struct merge_done done = {.status = KYMO_OK};
	struct merge_done told;

	(void)state;
	work_as(1, &done);
	work_as(1, NULL);
	assert_int_equal(merge_worker_wait(&first, 1, &told, &problem), KYMO_ERROR);
}

static void test_another_plan_is_elsewhere(void **state)
{
	struct merge_worker other;
	char *mine = merge_worker_part(&first, 4), *its;

	(void)state;
	assert_int_equal(merge_worker_init(&other, folder, "another plan", 0, &problem), KYMO_OK);
	its = merge_worker_part(&other, 4);
	assert_string_not_equal(mine, its);
	assert_memory_equal(mine, folder, strlen(folder));
	free(mine);
	free(its);
	merge_worker_remove_all(&other);
	merge_worker_release(&other);
	assert_int_equal(merge_worker_init(&other, "/proc/nowhere", "plan", 0, &problem),
			 KYMO_SYSTEM);
	merge_worker_release(&other);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_what_is_told),
		CASE(test_one_that_failed),
		CASE(test_one_that_is_gone),
		CASE(test_the_same_once_more),
		CASE(test_another_plan_is_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
