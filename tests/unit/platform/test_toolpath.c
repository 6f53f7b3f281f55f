/* The command, found from the place of a library. */
#include "platform/files/toolpath.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/kymo-toolpath-XXXXXX";

static const char *in_root(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(root) && mkdir(in_root("bin"), 0700) == 0 &&
			       mkdir(in_root("lib"), 0700) == 0 &&
			       mkdir(in_root("lib/python"), 0700) == 0
		       ? 0
		       : -1;
}

static int end(void **state)
{
	(void)state;
	unlink(in_root("bin/kymo"));
	rmdir(in_root("lib/python"));
	rmdir(in_root("lib"));
	rmdir(in_root("bin"));
	return rmdir(root);
}

static void put_command(mode_t mode)
{
	int file = open(in_root("bin/kymo"), O_CREAT | O_WRONLY, mode);

	assert_true(file >= 0);
	fchmod(file, mode);
	close(file);
}

static bool find(const char *library, char *path, size_t size)
{
	char place[128];

	snprintf(place, sizeof(place), "%s/%s", root, library);
	return toolpath_find(place, path, size);
}

static void test_trees(void **state)
{
	char path[160];
	struct stat found, command;

	(void)state;
	assert_false(find("lib/libkymo.so", path, sizeof(path)));
	put_command(0700);
	assert_int_equal(stat(in_root("bin/kymo"), &command), 0);
	assert_true(find("lib/libkymo.so", path, sizeof(path)));
	assert_int_equal(stat(path, &found), 0);
	assert_int_equal(found.st_ino, command.st_ino);
	assert_true(find("libkymo.so", path, sizeof(path)));
	assert_true(find("lib/python/libkymo.so", path, sizeof(path)));
}

static void test_what_cannot_be_run_is_none(void **state)
{
	char path[160];

	(void)state;
	put_command(0600);
	assert_false(find("lib/libkymo.so", path, sizeof(path)));
}

static void test_no_room_and_no_folder(void **state)
{
	char path[160], library[128];

	(void)state;
	put_command(0700);
	snprintf(library, sizeof(library), "%s/lib/libkymo.so", root);
	for (size_t size = 1; size < strlen(root) + strlen("/lib/../bin/kymo") + 1; size++)
		assert_false(toolpath_find(library, path, size));
	assert_false(toolpath_find("libkymo.so", path, sizeof(path)));
	assert_false(toolpath_find("", path, sizeof(path)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_what_cannot_be_run_is_none),
		cmocka_unit_test(test_no_room_and_no_folder),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
