/* The run that a program is recorded into: made, or joined. */
#include "cli/run/run_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>

#include "config/run/rundirectory.h"
#include "format/format.h"
#include "run_fixture.h"

static char *program[] = {(char *)"/bin/app", NULL};

/* A run whose folder is not named by time; run_release() it. */
static struct run_command run_by_name(void)
{
	struct run_command run = run_of(program);

	run_set(&run, "TIME_OUTPUT", "OFF");
	return run;
}

/* A recording that this process writes, as long as it maps it. */
static void *put_recording(const char *path, uint32_t state)
{
	struct kymo_header header = {.state = state, .pid = (uint32_t)getpid()};
	void *mapped;
	int file;

	memcpy(header.magic, KYMO_FORMAT_MAGIC, sizeof(header.magic));
	folder_put(path, &header, sizeof(header));
	file = open(path, O_RDONLY | O_CLOEXEC);
	mapped = mmap(NULL, sizeof(header), PROT_READ, MAP_SHARED, file, 0);
	assert_true(mapped != MAP_FAILED);
	close(file);
	return mapped;
}

static void test_who_writes_into_a_folder(void **state)
{
	void *mapped;

	(void)state;
	assert_true(run_folder_is_empty(folder));
	assert_true(run_folder_is_empty("nowhere"));
	assert_int_equal(run_folder_writer(folder), 0);
	mapped = put_recording("one.kymo", KYMO_STATE_OPEN);
	assert_false(run_folder_is_empty(folder));
	assert_int_equal(run_folder_writer(folder), getpid());
	munmap(mapped, sizeof(struct kymo_header)); /* it is another's by now */
	assert_int_equal(run_folder_writer(folder), 0);
	mapped = put_recording("one.kymo", KYMO_STATE_CLOSED);
	assert_int_equal(run_folder_writer(folder), 0);
	munmap(mapped, sizeof(struct kymo_header));
}

/* What was there before stays, and so does what is not empty. */
static void test_what_was_made_is_taken_away(void **state)
{
	struct run_folder place = {.is_own = true};

	(void)state;
	snprintf(place.kept, sizeof(place.kept), "%s", folder);
	snprintf(place.directory, sizeof(place.directory), "%s/a/b", folder);
	assert_true(mkdir("a", 0755) == 0 && mkdir("a/b", 0755) == 0);
	folder_put_text("a/other", "");
	run_folder_undo(&place);
	assert_int_equal(access("a/b", F_OK), -1);
	assert_int_equal(access("a/other", F_OK), 0);
	assert_int_equal(unlink("a/other"), 0);
	snprintf(place.directory, sizeof(place.directory), "%s/a", folder);
	place.is_own = false;
	run_folder_undo(&place);
	assert_int_equal(access("a", F_OK), 0);
	place.is_own = true;
	run_folder_undo(&place);
	assert_int_equal(access("a", F_OK), -1);
	assert_int_equal(access(folder, F_OK), 0);
}

static void test_a_run_of_its_own(void **state)
{
	struct run_command run = run_by_name();
	char wanted[PATH_MAX];

	(void)state;
	snprintf(wanted, sizeof(wanted), "%s/out/run", folder);
	run_choose(&run, SET_OUTPUT_PATH, wanted);
	assert_int_equal(run_folder_open(&run, NULL), KYMO_OK);
	assert_true(run.folder.is_own);
	assert_string_equal(run.folder.directory, wanted);
	assert_string_equal(run.folder.kept, folder);
	assert_true(run_folder_is_empty(run.folder.directory));
	run_folder_undo(&run.folder);
	assert_int_equal(access("out", F_OK), -1);
	run_release(&run);
}

static void test_joining_a_run(void **state)
{
	struct run_command run = run_by_name();
	struct problem problem;
	char other[PATH_MAX];

	(void)state;
	run_set(&run, "RUN_DIR", folder);
	assert_int_equal(run_folder_open(&run, NULL), KYMO_OK);
	assert_false(run.folder.is_own);
	assert_string_equal(run.folder.directory, folder);
	/* An option that names another folder is stronger than the environment. */
	snprintf(other, sizeof(other), "%s/other", folder);
	run_choose(&run, SET_OUTPUT_PATH, other);
	assert_int_equal(run_folder_open(&run, NULL), KYMO_OK);
	assert_true(run.folder.is_own);
	assert_string_equal(run.folder.directory, other);
	run_choose(&run, SET_RUN_DIR, "nowhere");
	assert_int_equal(run_folder_open(&run, &problem), KYMO_SYSTEM);
	assert_string_equal(problem.text,
			    "cannot join the run in 'nowhere': No such file or directory");
	run_release(&run);
}

/* Two runs into one folder would mix, unless one is handed to the other. */
static void test_a_folder_that_another_run_is_writing_into(void **state)
{
	void *mapped = put_recording("one.kymo", KYMO_STATE_OPEN);
	struct run_command run = run_by_name();
	struct problem problem;
	char expected[256];

	(void)state;
	snprintf(expected, sizeof(expected), "another run is writing into '%s' (process %d)",
		 folder, (int)getpid());
	run_set(&run, "RUN_DIR", folder);
	assert_int_equal(run_folder_open(&run, &problem), KYMO_ERROR);
	assert_string_equal(problem.text, expected);
	setenv(RUN_ROOT_VARIABLE, "1", 1);
	assert_int_equal(run_folder_open(&run, &problem), KYMO_OK);
	unsetenv(RUN_ROOT_VARIABLE);
	run_choose(&run, SET_RUN_DIR, folder);
	assert_int_equal(run_folder_open(&run, &problem), KYMO_OK);
	run_release(&run);
	run = run_by_name();
	run_choose(&run, SET_OUTPUT_PATH, folder);
	assert_int_equal(run_folder_open(&run, &problem), KYMO_ERROR);
	assert_memory_equal(problem.text, expected, strlen(expected));
	assert_non_null(strstr(problem.text, "; --output chooses another folder"));
	assert_int_equal(access("one.kymo", F_OK), 0);
	munmap(mapped, sizeof(struct kymo_header));
	run_release(&run);
}

static int set_up(void **state)
{
	unsetenv(RUN_ROOT_VARIABLE);
	unsetenv("KYMO_PYTHON_OPTIONS");
	return folder_set_up(state);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_who_writes_into_a_folder),
		IN_FOLDER(test_what_was_made_is_taken_away),
		IN_FOLDER(test_a_run_of_its_own),
		IN_FOLDER(test_joining_a_run),
		IN_FOLDER(test_a_folder_that_another_run_is_writing_into),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
