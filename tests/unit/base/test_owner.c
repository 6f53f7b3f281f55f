/* Whose files are read, and whose folders are written into. */
#include "base/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define STRANGER 54321u

static struct stat file_of(uid_t owner, mode_t mode)
{
	return (struct stat){.st_uid = owner, .st_mode = S_IFREG | mode};
}

static void test_own_and_roots_are_trusted(void **state)
{
	const struct stat own = file_of(geteuid(), 0644), roots = file_of(0, 0644),
			  other = file_of(STRANGER, 0644);

	(void)state;
	assert_true(owner_is_trusted(&own));
	assert_true(owner_is_trusted(&roots));
	assert_false(owner_is_trusted(&other));
	assert_false(owner_may_hold(&other));
}

static void test_what_others_can_write_is_not_alone(void **state)
{
	const struct stat own = file_of(geteuid(), 0644), group = file_of(geteuid(), 0664),
			  all = file_of(geteuid(), 0646), other = file_of(STRANGER, 0600);

	(void)state;
	assert_true(owner_is_alone(&own));
	assert_false(owner_is_alone(&group));
	assert_false(owner_is_alone(&all));
	assert_false(owner_is_alone(&other));
}

static void test_force_trusts_all_but_is_not_alone(void **state)
{
	const struct stat other = file_of(STRANGER, 0600);

	(void)state;
	*owner_force() = true;
	assert_true(owner_is_trusted(&other));
	assert_true(owner_may_hold(&other));
	assert_false(owner_is_alone(&other));
	*owner_force() = false;
	assert_false(owner_is_trusted(&other));
}

static void test_who_called_sudo_may_hold(void **state)
{
	const struct stat other = file_of(STRANGER, 0700);

	(void)state;
	setenv("SUDO_UID", "54321", 1);
	assert_int_equal(owner_may_hold(&other), geteuid() == 0);
	assert_false(owner_is_trusted(&other));
	setenv("SUDO_UID", "", 1);
	assert_false(owner_may_hold(&other));
	unsetenv("SUDO_UID");
}

static void test_the_refusal_names_what_helps(void **state)
{
	const struct stat other = file_of(STRANGER, 0600);
	struct problem problem = {""};

	(void)state;
	assert_int_equal(owner_refuse(&other, "/x/run", &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "'/x/run'"));
	assert_non_null(strstr(problem.text, "54321"));
	assert_non_null(strstr(problem.text, "--force"));
}

static void test_folders(void **state)
{
	char folder[] = "/tmp/kymo-owner-XXXXXX", inner[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(owner_check_folder(folder), 0);
	snprintf(inner, sizeof(inner), "%s/link", folder);
	assert_int_equal(owner_check_folder(inner), ENOENT);
	assert_int_equal(symlink(folder, inner), 0);
	assert_int_equal(owner_check_folder(inner), 0);
	unlink(inner);
	rmdir(folder);
	assert_int_equal(owner_check_folder("/proc/self/exe"), ENOTDIR);
}

static void test_only_regular_files_are_read(void **state)
{
	struct problem problem = {""};
	struct stat info = {.st_size = 77};
	int file = open("/proc/self/exe", O_RDONLY), pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(owner_stat_file(pipes[0], "p", &info, &problem), KYMO_FORMAT);
	assert_string_equal(problem.text, "'p' is not a file");
	errno = ENOENT;
	assert_int_equal(owner_stat_file(-1, "gone", &info, &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, strerror(ENOENT)));
	assert_int_equal(owner_stat_file(file, "exe", &info, &problem), KYMO_OK);
	assert_true(S_ISREG(info.st_mode));
	close(file);
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_and_roots_are_trusted),
		cmocka_unit_test(test_what_others_can_write_is_not_alone),
		cmocka_unit_test(test_force_trusts_all_but_is_not_alone),
		cmocka_unit_test(test_who_called_sudo_may_hold),
		cmocka_unit_test(test_the_refusal_names_what_helps),
		cmocka_unit_test(test_folders),
		cmocka_unit_test(test_only_regular_files_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
