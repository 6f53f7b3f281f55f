/* The libraries that a loader would load, in its order. */
#include "cli/instrument/needed/needed_libraries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/folder_fixture.h"
#include "elf_fixture.h"

/* A file of that name whose libraries are looked for in these folders, as tag says; NULL = it needs
 * nothing. */
static void put_elf(const char *path, ElfW(Sxword) tag, const char *folders)
{
	struct elf_file file = elf_made();

	if (!folders)
		file.entries[0].d_tag = file.entries[1].d_tag = DT_DEBUG;
	else
		snprintf(file.strings + 17, sizeof(file.strings) - 17, "%s", folders);
	file.entries[4].d_tag = tag;
	folder_put(path, &file, sizeof(file));
}

/* The paths from the folder on, joined by blanks. */
static void assert_needed(const char *program, const char *expected)
{
	char found[512] = "", **paths;
	size_t count;

	assert_int_equal(needed_libraries(program, &paths, &count), KYMO_OK);
	for (size_t i = 0; i < count; i++) {
		strcat(found, i ? " " : "");
		strcat(found, paths[i]);
	}
	assert_string_equal(found, expected);
	lines_free(paths, count);
}

static void test_folders_of_the_file(void **state)
{
	(void)state;
	assert_true(mkdir("x", 0755) == 0 && mkdir("y", 0755) == 0);
	put_elf("app", DT_RUNPATH, "x:$ORIGIN/y");
	put_elf("y/liba.so", DT_RUNPATH, NULL);
	put_elf("x/libb.so", DT_RUNPATH, NULL);
	assert_needed("./app", "./y/liba.so x/libb.so");
	put_elf("x/liba.so", DT_RUNPATH, NULL); /* in front */
	assert_needed("./app", "x/liba.so x/libb.so");
}

/* Where there is a DT_RUNPATH, a DT_RPATH beside it counts for nothing. */
static void test_a_file_with_both(void **state)
{
	struct elf_file file = elf_made();

	(void)state;
	assert_true(mkdir("x", 0755) == 0 && mkdir("y", 0755) == 0);
	put_elf("x/liba.so", DT_RUNPATH, NULL);
	put_elf("y/libb.so", DT_RUNPATH, NULL);
	memcpy(file.strings + 17, "x\0y", 4);
	file.entries[4] = (ElfW(Dyn)){DT_RPATH, {17}};
	file.entries[5] = (ElfW(Dyn)){DT_RUNPATH, {19}};
	folder_put("app", &file, sizeof(file));
	assert_needed("./app", "y/libb.so");
}

/* Nor does that of the file that led to it. */
static void test_a_runpath_below_an_rpath(void **state)
{
	struct elf_file file = elf_made();

	(void)state;
	assert_true(mkdir("x", 0755) == 0 && mkdir("y", 0755) == 0);
	strcpy(file.strings + 17, "x");
	file.entries[1].d_tag = DT_DEBUG; /* of the program, which needs liba.so alone */
	file.entries[4].d_tag = DT_RPATH;
	folder_put("app", &file, sizeof(file));
	put_elf("x/liba.so", DT_RUNPATH, "y");
	put_elf("x/libb.so", DT_RUNPATH, NULL);
	put_elf("y/libb.so", DT_RUNPATH, NULL);
	assert_needed("./app", "x/liba.so y/libb.so");
}

/* Those of libraries follow, each once; a DT_RPATH holds for them, too, a DT_RUNPATH does not. */
static void test_libraries_of_libraries(void **state)
{
	(void)state;
	assert_int_equal(mkdir("x", 0755), 0);
	put_elf("app", DT_RPATH, "x");
	put_elf("x/liba.so", DT_RPATH, "nowhere");
	put_elf("x/libb.so", DT_RPATH, "nowhere");
	assert_needed("./app", "x/liba.so x/libb.so"); /* they need each other */
	assert_int_equal(unlink("x/libb.so"), 0);
	assert_int_equal(symlink("liba.so", "x/libb.so"), 0);
	assert_needed("./app", "x/liba.so"); /* the same file under another name */
}

static void test_the_environment_comes_before_a_runpath(void **state)
{
	(void)state;
	assert_true(mkdir("x", 0755) == 0 && mkdir("env", 0755) == 0);
	put_elf("x/liba.so", DT_RUNPATH, NULL);
	put_elf("env/liba.so", DT_RUNPATH, NULL);
	setenv("LD_LIBRARY_PATH", "nowhere:env", 1);
	put_elf("app", DT_RUNPATH, "x");
	assert_needed("./app", "env/liba.so");
	put_elf("app", DT_RPATH, "x");
	assert_needed("./app", "x/liba.so");
	unsetenv("LD_LIBRARY_PATH");
}

/* Files that are none, or folders with keys that are not known, are passed over. */
static void test_what_cannot_be_found(void **state)
{
	(void)state;
	assert_int_equal(mkdir("x", 0755), 0);
	put_elf("app", DT_RUNPATH, "$LIB/x:x");
	folder_put_text("x/liba.so", "no library");
	assert_needed("./app", "");
	assert_needed("absent", "");
	put_elf("x/libb.so", DT_RUNPATH, NULL);
	assert_needed("./app", "x/libb.so");
}

static int set_up(void **state)
{
	unsetenv("LD_LIBRARY_PATH");
	return folder_set_up(state);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_folders_of_the_file),
		IN_FOLDER(test_a_file_with_both),
		IN_FOLDER(test_a_runpath_below_an_rpath),
		IN_FOLDER(test_libraries_of_libraries),
		IN_FOLDER(test_the_environment_comes_before_a_runpath),
		IN_FOLDER(test_what_cannot_be_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
