/* Copies of recordings while they are written. */
#include "cli/ctl/ctl_snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl_fixture.h"

static struct kymo_header header_at(const char *path)
{
	struct kymo_header header;
	int file = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(file >= 0);
	assert_int_equal(read(file, &header, sizeof(header)), sizeof(header));
	close(file);
	return header;
}

/* A run of one process that lives and one that has ended. */
static struct ctl_run two_processes(void)
{
	struct synthetic *made = ctl_recording(0);

	synthetic_header(made)->state = KYMO_STATE_CLOSED;
	synthetic_header(made)->pid = 1;
	ctl_put(made, "ended.kymo");
	ctl_put(ctl_recording(1000), "living.kymo");
	return ctl_opened(folder);
}

static void test_copies_last_until_now(void **state)
{
	struct ctl_run run = two_processes();
	struct kymo_header header, before = header_at("living.kymo");
	char *path = NULL;

	(void)state;
	assert_int_equal(ctl_snapshot(&run, "copy", &path, NULL), KYMO_OK);
	assert_string_equal(path, "copy");
	header = header_at("copy/living.kymo");
	assert_int_equal(header.pair_count, before.pair_count + 1);
	assert_true(header.pairs[1].monotonic_ns > before.pairs[0].monotonic_ns);
	assert_int_equal(header.end, before.end);
	assert_int_equal(header_at("living.kymo").pair_count, before.pair_count);
	assert_int_equal(header_at("copy/ended.kymo").pair_count, 1);
	free(path);
	ctl_run_release(&run);
}

/* No pair is lost but the last. */
static void test_a_header_that_is_full(void **state)
{
	struct synthetic *made = ctl_recording(0);
	struct kymo_header *header = synthetic_header(made), copy;
	struct ctl_run run;
	char *path = NULL;

	(void)state;
	for (uint32_t i = 1; i < KYMO_CLOCK_PAIRS; i++) {
		header->pairs[i] = header->pairs[0];
		header->pairs[i].ticks += i;
		header->pairs[i].monotonic_ns += i;
	}
	header->pair_count = KYMO_CLOCK_PAIRS;
	ctl_put(made, "living.kymo");
	run = ctl_opened(folder);
	assert_int_equal(ctl_snapshot(&run, "copy", &path, NULL), KYMO_OK);
	copy = header_at("copy/living.kymo");
	assert_int_equal(copy.pair_count, KYMO_CLOCK_PAIRS);
	assert_true(copy.pairs[KYMO_CLOCK_PAIRS - 1].monotonic_ns >
		    copy.pairs[KYMO_CLOCK_PAIRS - 2].monotonic_ns + 1);
	free(path);
	ctl_run_release(&run);
}

static void test_snapshots_of_a_run_are_numbered(void **state)
{
	struct ctl_run run = two_processes();

	(void)state;
	for (int number = 1; number <= 2; number++) {
		char *path = NULL, expected[128];

		assert_int_equal(ctl_snapshot(&run, NULL, &path, NULL), KYMO_OK);
		snprintf(expected, sizeof(expected), "%s/snapshots/%d", folder, number);
		assert_string_equal(path, expected);
		free(path);
	}
	assert_int_equal(access("snapshots/2/ended.kymo", R_OK), 0);
	ctl_run_release(&run);
}

/* What was begun is taken away. */
static void test_a_snapshot_that_cannot_be_made(void **state)
{
	struct ctl_run run = two_processes();
	struct problem problem;
	char *path = NULL;

	(void)state;
	assert_int_equal(mkdir("there", 0755), 0);
	assert_int_equal(ctl_snapshot(&run, "there", &path, &problem), KYMO_SYSTEM);
	assert_string_equal(problem.text,
			    "cannot make the directory 'there' for the snapshot: File exists");
	assert_int_equal(unlink("living.kymo"), 0);
	assert_int_equal(ctl_snapshot(&run, "copy", &path, &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "to 'copy': No such file or directory"));
	assert_int_equal(access("copy", F_OK), -1);
	assert_null(path);
	ctl_run_release(&run);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_copies_last_until_now),
		IN_FOLDER(test_a_header_that_is_full),
		IN_FOLDER(test_snapshots_of_a_run_are_numbered),
		IN_FOLDER(test_a_snapshot_that_cannot_be_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
