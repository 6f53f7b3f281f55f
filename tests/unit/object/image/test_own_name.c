/* The name that a library has for itself. */
#include "object/image/own_name.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *libc_path(void)
{
	Dl_info info;

	assert_int_not_equal(dladdr(stdout, &info), 0);
	return info.dli_fname;
}

static void test_the_c_librarys(void **state)
{
	char name[64] = "";

	(void)state;
	if (!own_name_read(libc_path(), name, sizeof(name)))
		skip(); /* built without libelf */
	assert_non_null(strstr(name, "libc"));
	assert_null(strchr(name, '/'));
	/* With room for all of it, and for no more than that. */
	for (size_t size = 1; size <= strlen(name); size++)
		assert_false(own_name_read(libc_path(), (char[64]){""}, size));
	assert_true(own_name_read(libc_path(), (char[64]){""}, strlen(name) + 1));
}

static void test_files_without_one(void **state)
{
	char folder[] = "/tmp/kymo-own-name-XXXXXX", path[64], name[64];

	(void)state;
	assert_false(own_name_read("/proc/self/exe", name, sizeof(name)));
	assert_false(own_name_read("/proc/self/maps", name, sizeof(name)));
	assert_false(own_name_read("/nowhere", name, sizeof(name)));
	assert_false(own_name_read("/tmp", name, sizeof(name)));
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/pipe", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(own_name_read(path, name, sizeof(name))); /* nobody writes: it does not wait */
	unlink(path);
	rmdir(folder);
}

/* Cut anywhere: no name, or the name. */
static void test_damaged_files(void **state)
{
	char path[] = "/tmp/kymo-own-name-XXXXXX", name[64], whole[64] = "";
	int to = mkstemp(path);
	static char bytes[1 << 16];
	FILE *file = fopen(libc_path(), "r");
	ssize_t size = (ssize_t)fread(bytes, 1, sizeof(bytes), file);

	(void)state;
	fclose(file);
	own_name_read(libc_path(), whole, sizeof(whole));
	for (ssize_t cut = 0; cut < size; cut = cut * 3 / 2 + 7) {
		assert_int_equal(ftruncate(to, 0), 0);
		assert_int_equal(pwrite(to, bytes, (size_t)cut, 0), cut);
		if (own_name_read(path, name, sizeof(name)))
			assert_string_equal(name, whole);
	}
	close(to);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_c_librarys),
		cmocka_unit_test(test_files_without_one),
		cmocka_unit_test(test_damaged_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
