/* Names of files that lead to something else. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/files/regularfile.h"

static char folder[] = "/tmp/kymo-regularfile-XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	static const char *const names[] = {"file", "link", "pipe"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(in_folder(names[i]));
	return rmdir(folder);
}

static void check_read(const char *path)
{
	int file = regularfile_open(path);
	char byte = 0;

	assert_true(file >= 0);
	assert_int_equal(read(file, &byte, 1), 1);
	assert_int_equal(byte, 'x');
	close(file);
}

static void test_files(void **state)
{
	int file = open(in_folder("file"), O_WRONLY | O_CREAT | O_EXCL, 0600);

	(void)state;
	assert_int_equal(write(file, "x", 1), 1);
	close(file);
	check_read(in_folder("file"));
	assert_int_equal(symlink("file", in_folder("link")), 0);
	check_read(in_folder("link"));
}

/* A pipe that nobody writes, a device, a folder: refused at once. */
static void test_others(void **state)
{
	const char *const paths[] = {"pipe", "/dev/zero", "/dev/tty", "/"};

	(void)state;
	assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		errno = 0;
		assert_int_equal(regularfile_open(i ? paths[i] : in_folder(paths[i])), -1);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(regularfile_open(in_folder("none")), -1);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
