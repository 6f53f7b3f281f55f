/* Output files: whole or not there, and clear words when they cannot be made. */
#include "base/outfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filemode.h"
#include "base/owner.h"

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

static void write_to(const char *path, const char *text)
{
	struct outfile file;

	assert_int_equal(outfile_open_stream(&file, path, NULL), KYMO_OK);
	write_text(&file, text);
	assert_int_equal(outfile_commit(&file, NULL), KYMO_OK);
}

static mode_t mode_of(const char *path)
{
	struct stat info;

	assert_int_equal(lstat(path, &info), 0);
	return info.st_mode & 07777;
}

/* What it leads to is not touched. */
static void test_link_is_replaced(void **state)
{
	struct stat info;

	(void)state;
	write_to("target", "precious");
	assert_int_equal(symlink("target", "link"), 0);
	write_to("link", "text");
	assert_int_equal(lstat("link", &info), 0);
	assert_true(S_ISREG(info.st_mode));
	assert_content("link", "text");
	assert_content("target", "precious");
	/* Nor is one made where a link leads to nothing. */
	assert_int_equal(symlink("nowhere", "broken"), 0);
	write_to("broken", "text");
	assert_int_equal(access("nowhere", F_OK), -1);
}

static void test_modes(void **state)
{
	mode_t before = umask(0);

	(void)state;
	write_to("new", "text");
	assert_int_equal(mode_of("new"), 0600);
	assert_int_equal(chmod("new", 0640), 0);
	write_to("new", "other");
	assert_int_equal(mode_of("new"), 0640);
	filemode_choose("all");
	assert_int_equal(filemode_folder(), 0755);
	write_to("shared", "text");
	assert_int_equal(mode_of("shared"), 0644);
	filemode_choose("group");
	assert_int_equal(filemode_folder(), 0750);
	umask(077); /* still takes away */
	write_to("narrow", "text");
	assert_int_equal(mode_of("narrow"), 0600);
	filemode_choose("user");
	assert_int_equal(filemode_folder(), 0700);
	umask(before);
}

#define OTHER 65534 /* nobody */

static void test_folder_of_another(void **state)
{
	struct outfile file;
	struct problem problem;

	(void)state;
	if (geteuid() != 0) {
		print_message("only root can be two users\n");
		skip();
	}
	assert_int_equal(mkdir("theirs", 0777), 0);
	assert_int_equal(chown("theirs", OTHER, OTHER), 0);
	assert_int_equal(unsetenv("SUDO_UID"), 0);
	assert_int_equal(outfile_open_stream(&file, "theirs/file", &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "belongs to another user"));
	/* A link of theirs to a folder of ours leads nowhere else than it says, but a pipe that
	 * they put there gets nothing. */
	assert_int_equal(mkfifo("pipe", 0666), 0);
	assert_int_equal(lchown("pipe", OTHER, OTHER), 0);
	write_to("pipe", "text");
	assert_content("pipe", "text");
	/* The user who asked root for it. */
	assert_int_equal(setenv("SUDO_UID", "65534", 1), 0);
	write_to("theirs/file", "text");
	assert_int_equal(unsetenv("SUDO_UID"), 0);
	assert_int_equal(owner_check_folder("theirs"), EPERM);
	*owner_force() = true;
	write_to("theirs/forced", "text");
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
		cmocka_unit_test(test_link_is_replaced),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_directory_is_refused),
		cmocka_unit_test(test_full_device_is_reported),
		cmocka_unit_test(test_folder_of_another), /* the last: it trusts all */
	};

	return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
