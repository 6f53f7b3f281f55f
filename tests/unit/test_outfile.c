/* Output files: whole or not there, and clear words when they cannot be made. */
#include "base/outfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/test-outfile-XXXXXX";

static int enter_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int remove_directory(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void assert_content(const char *path, const char *expected)
{
	char content[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	content[fread(content, 1, sizeof(content) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(content, expected);
}

static void write_text(struct outfile *file, const char *text)
{
	assert_non_null(file->stream);
	fputs(text, file->stream);
}

static void test_appears_when_committed(void **state)
{
	struct outfile file;
	struct problem problem;

	(void)state;
	assert_int_equal(outfile_open_stream(&file, "new", &problem), KYMO_OK);
	write_text(&file, "whole");
	assert_int_equal(access("new", F_OK), -1);
	assert_int_equal(outfile_commit(&file, &problem), KYMO_OK);
	assert_content("new", "whole");
}

static void test_discard_keeps_the_old_file(void **state)
{
	struct outfile file;

	(void)state;
	assert_int_equal(outfile_open_stream(&file, "old", NULL), KYMO_OK);
	write_text(&file, "first");
	assert_int_equal(outfile_commit(&file, NULL), KYMO_OK);
	assert_int_equal(outfile_open_stream(&file, "old", NULL), KYMO_OK);
	write_text(&file, "second");
	outfile_discard(&file);
	assert_content("old", "first");
	assert_int_equal(system("ls | grep -q tmp"), 256);
}

static void test_link_stays_a_link(void **state)
{
	struct outfile file;
	struct stat info;

	(void)state;
	assert_int_equal(symlink("target", "link"), 0);
	assert_int_equal(system("touch target"), 0);
	assert_int_equal(outfile_open_stream(&file, "link", NULL), KYMO_OK);
	write_text(&file, "text");
	assert_int_equal(outfile_commit(&file, NULL), KYMO_OK);
	assert_int_equal(lstat("link", &info), 0);
	assert_true(S_ISLNK(info.st_mode));
	assert_content("target", "text");
}

static void test_directory_is_refused(void **state)
{
	struct outfile file;
	struct problem problem;

	(void)state;
	assert_int_equal(outfile_open_stream(&file, "/", &problem), KYMO_SYSTEM);
	assert_string_equal(problem.text, "cannot write '/': Is a directory");
	assert_int_equal(outfile_open_stream(&file, "none/file", &problem), KYMO_SYSTEM);
	assert_string_equal(problem.text, "cannot write 'none/file': No such file or directory");
}

static void test_full_device_is_reported(void **state)
{
	struct outfile file;
	struct problem problem;

	(void)state;
	assert_int_equal(outfile_open_stream(&file, "/dev/full", &problem), KYMO_OK);
	assert_null(file.temporary);
	write_text(&file, "text");
	assert_int_equal(outfile_commit(&file, &problem), KYMO_SYSTEM);
	assert_string_equal(problem.text, "cannot write '/dev/full': No space left on device");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_appears_when_committed),
		cmocka_unit_test(test_discard_keeps_the_old_file),
		cmocka_unit_test(test_link_stays_a_link),
		cmocka_unit_test(test_directory_is_refused),
		cmocka_unit_test(test_full_device_is_reported),
	};

	return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
