/* Finding the recordings of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/recording/run.h"
#include "synthetic.h"

static char directory[] = "/tmp/kymo-run-XXXXXX";

static int make_directory(void **state)
{
	(void)state;
	strcpy(strrchr(directory, '-'), "-XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	(void)info;
	(void)type;
	(void)walk;
	return remove(path);
}

static int remove_directory(void **state)
{
	(void)state;
	return nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static const char *path_of(const char *name)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

/* A recording of process pid that ran from start to end seconds. */
static void add(const char *name, uint32_t pid, uint32_t flags, uint64_t start, uint64_t end)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE | flags);
	struct kymo_header *header = synthetic_header(synthetic);

	synthetic_close(synthetic, (end - start) * 1000000000);
	header->pid = pid;
	header->start_realtime_ns += start * 1000000000;
	for (uint32_t i = 0; i < header->pair_count; i++)
		header->pairs[i].realtime_ns += start * 1000000000;
	assert_int_equal(synthetic_write(synthetic, path_of(name)), 0);
	synthetic_free(synthetic);
}

static void add_text(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_pids(const char *name, const uint32_t *pids, size_t count, size_t problems)
{
	struct problem problem = {""};
	struct run *run = NULL;

	if (run_open(path_of(name), &run, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	assert_int_equal(run->recording_count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(run->recordings[i]->header.pid, pids[i]);
	assert_int_equal(run->problem_count, problems);
	run_free(run);
}

static void assert_fails(const char *name, const char *reason)
{
	struct problem problem = {""};
	struct run *run = NULL;

	assert_int_not_equal(run_open(path_of(name), &run, &problem), KYMO_OK);
	assert_null(run);
	if (!strstr(problem.text, reason))
		fail_msg("'%s' does not say '%s'", problem.text, reason);
	assert_int_not_equal(run_open(path_of(name), &run, NULL), KYMO_OK);
}

static void test_one_recording(void **state)
{
	(void)state;
	add("a.kymo", 7, 0, 0, 1);
	assert_pids("a.kymo", (uint32_t[]){7}, 1, 0);
	assert_fails("missing.kymo", "missing.kymo'");
}

static void test_root_comes_first(void **state)
{
	(void)state;
	add("a.kymo", 30, 0, 3, 4);
	add("b.kymo", 20, 0, 2, 4);
	add("c.kymo", 10, KYMO_HEADER_ROOT, 1, 9);
	add("d.kymo", 15, 0, 2, 5);
	assert_pids("", (uint32_t[]){10, 15, 20, 30}, 4, 0);
}

static void test_unreadable_ones_are_said(void **state)
{
	(void)state;
	add("a.kymo", 1, KYMO_HEADER_ROOT, 0, 1);
	add_text("b.kymo", "nonsense");
	add_text("notes.txt", "not a recording, nor does its name say so");
	add_text(".hidden.kymo", "an editor's");
	assert_pids("", (uint32_t[]){1}, 1, 1);
}

/* A second run takes the place of the first, which is no problem of the second. */
static void test_earlier_runs_are_left_out(void **state)
{
	(void)state;
	add("a.kymo", 1, KYMO_HEADER_ROOT, 0, 10);
	add("b.kymo", 2, 0, 5, 12);
	add("c.kymo", 3, KYMO_HEADER_ROOT, 20, 30);
	add("d.kymo", 4, 0, 25, 26);
	assert_pids("", (uint32_t[]){3, 4}, 2, 0);
}

/* One may have ended before another began; what was there before the job is not of it. */
static void test_ranks_of_a_job_belong_together(void **state)
{
	(void)state;
	add("a.kymo", 1, KYMO_HEADER_ROOT | KYMO_HEADER_RANK, 10, 11);
	add("b.kymo", 2, 0, 10, 11);
	add("c.kymo", 3, KYMO_HEADER_ROOT | KYMO_HEADER_RANK, 20, 30);
	add("d.kymo", 4, KYMO_HEADER_ROOT, 5, 6);
	assert_pids("", (uint32_t[]){1, 3, 2}, 3, 0);
}

/* Ranks of an MPI job: each takes itself for the root, all run at the same time. */
static void test_roots_at_the_same_time_belong_together(void **state)
{
	(void)state;
	add("a.kymo", 1, KYMO_HEADER_ROOT, 10, 20);
	add("b.kymo", 2, KYMO_HEADER_ROOT, 11, 19);
	add("c.kymo", 3, KYMO_HEADER_ROOT, 12, 22);
	assert_pids("", (uint32_t[]){1, 2, 3}, 3, 0);
}

static void test_children_without_their_root(void **state)
{
	(void)state;
	add("a.kymo", 1, 0, 0, 1);
	add("b.kymo", 2, 0, 5, 6);
	assert_pids("", (uint32_t[]){1, 2}, 2, 0);
}

static void test_newest_directory_below(void **state)
{
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	(void)state;
	mkdir(path_of("2024-01-01"), 0777);
	mkdir(path_of("2023-12-31"), 0777);
	mkdir(path_of("zzz-empty"), 0777);
	add("2024-01-01/a.kymo", 1, KYMO_HEADER_ROOT, 0, 1);
	add("2023-12-31/a.kymo", 2, KYMO_HEADER_ROOT, 0, 1);
	utimensat(AT_FDCWD, path_of("2024-01-01"), old, 0);
	assert_pids("", (uint32_t[]){2}, 1, 0);
	utimensat(AT_FDCWD, path_of("2023-12-31"), old, 0);
	assert_pids("", (uint32_t[]){1}, 1, 0); /* of the same age: by name */
}

static void test_nothing_there(void **state)
{
	(void)state;
	assert_fails("", "no recordings (*.kymo) in");
	add_text("a.kymo", "nonsense");
	assert_fails("", "a.kymo' is not a recording");
}

int main(void)
{
#define RUN_TEST(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)
	const struct CMUnitTest tests[] = {
		RUN_TEST(test_one_recording),
		RUN_TEST(test_root_comes_first),
		RUN_TEST(test_unreadable_ones_are_said),
		RUN_TEST(test_earlier_runs_are_left_out),
		RUN_TEST(test_ranks_of_a_job_belong_together),
		RUN_TEST(test_roots_at_the_same_time_belong_together),
		RUN_TEST(test_children_without_their_root),
		RUN_TEST(test_newest_directory_below),
		RUN_TEST(test_nothing_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
