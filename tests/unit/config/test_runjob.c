/* One folder for all ranks of a job. */
#include "config/run/runjob.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const environment[] = {"OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=2", NULL};
static char folder[64], wanted[96];
static struct settings *settings;
static struct output_context context;

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/kymo-job-XXXXXX");
	settings = settings_new();
	context = (struct output_context){
		.environment = (char *const *)environment, .pid = 77, .settings = settings};
	if (!settings || !mkdtemp(folder))
		return -1;
	snprintf(wanted, sizeof(wanted), "%s/run", folder);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	settings_free(settings);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

/* As the run's: never one that is there. */
static int make_new(const char *name, char *path, size_t size)
{
	for (int i = 1; i < 50; i++) {
		snprintf(path, size, i == 1 ? "%s" : "%s-%d", name, i);
		if (mkdir(path, 0700) == 0)
			return 0;
	}
	return errno;
}

static int make_known(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s", name);
	return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

static void share(const char *job, const char *expected)
{
	char path[PATH_MAX], whole[128];

	assert_int_equal(runjob_share(&context, wanted, job, make_new, path), 0);
	snprintf(whole, sizeof(whole), "%s/%s", folder, expected);
	assert_string_equal(path, whole);
}

static void in_folder(char *path, const char *format, const char *name)
{
	char whole[64];

	snprintf(whole, sizeof(whole), format, name);
	snprintf(path, PATH_MAX, "%s/%s", folder, whole);
}

static void test_ranks_meet(void **state)
{
	char path[PATH_MAX];

	(void)state;
	share("a", "run");
	share("a", "run");
	share("b", "run-2");
	share("a", "run");
	in_folder(path, "run/.job-%s/ready", "a");
	assert_int_equal(access(path, F_OK), 0);
	in_folder(path, "run/.job-%s", "b");
	assert_int_not_equal(access(path, F_OK), 0);
}

/* Nobody has finished it: what it left is not this one's. */
static void test_links_of_old_jobs_are_replaced(void **state)
{
	static const char *const leading[] = {"gone", "..", "../tmp", ".", "run/x", "/tmp"};
	char link[PATH_MAX], expected[16], target[64];

	(void)state;
	in_folder(link, ".job-%s", "a");
	for (size_t i = 0; i < sizeof(leading) / sizeof(*leading); i++) {
		unlink(link);
		assert_int_equal(symlink(leading[i], link), 0);
		snprintf(expected, sizeof(expected), i ? "run-%zu" : "run", i + 1);
		share("a", expected);
		memset(target, 0, sizeof(target));
		assert_true(readlink(link, target, sizeof(target) - 1) > 0);
		assert_string_equal(target, expected);
	}
}

/* Each rank has a file as long as it runs. */
static void test_ranks_sign(void **state)
{
	unsigned signs = 0;
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *stream;

	(void)state;
	share("a", "run");
	context.pid = 78;
	share("a", "run");
	share("a", "run"); /* once for each process */
	in_folder(path, "run/.job-%s", "a");
	stream = opendir(path);
	while ((entry = readdir(stream)))
		signs += strncmp(entry->d_name, "1-of-2-", 7) == 0 &&
			 strstr(entry->d_name, RUNJOB_OPEN) != NULL;
	closedir(stream);
	assert_int_equal(signs, 2);
}

/* In a folder that is always the same, recordings of an earlier run are no ranks of this one. */
static void test_earlier_recordings_are_set_aside(void **state)
{
	char path[PATH_MAX], made[PATH_MAX];
	int file;

	(void)state;
	assert_int_equal(settings_set(settings, "TIME_OUTPUT", "OFF", SETTING_FROM_COMMAND, NULL),
			 KYMO_OK);
	assert_int_equal(mkdir(wanted, 0700), 0);
	in_folder(path, "run/%s", "prog-1.kymo");
	file = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(file >= 0);
	close(file);
	assert_int_equal(runjob_share(&context, wanted, "a", make_known, made), 0);
	assert_string_equal(made, wanted);
	assert_int_not_equal(access(path, F_OK), 0);
	in_folder(path, "run/earlier-1/%s", "prog-1.kymo");
	assert_int_equal(access(path, F_OK), 0);
	/* The second rank leaves those of the first where they are. */
	in_folder(path, "run/%s", "prog-2.kymo");
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(runjob_share(&context, wanted, "a", make_known, made), 0);
	assert_int_equal(access(path, F_OK), 0);
}

static int make_none(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s", name);
	return ENOSPC;
}

static void test_no_folder(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_int_equal(runjob_share(&context, wanted, "a", make_none, path), ENOSPC);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_ranks_meet), CASE(test_links_of_old_jobs_are_replaced),
		CASE(test_ranks_sign), CASE(test_earlier_recordings_are_set_aside),
		CASE(test_no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
