/* What an ELF file says to the loader, also where it is cut or lies. */
#include "cli/instrument/needed/needed_dynamic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cli/folder_fixture.h"
#include "elf_fixture.h"

static bool read_of(const struct elf_file *file, struct needed_dynamic *out)
{
	folder_put("file", file, sizeof(*file));
	return needed_dynamic_read("file", out);
}

static void test_what_is_needed(void **state)
{
	struct elf_file file = elf_made();
	struct needed_dynamic dynamic;
	struct stat info;

	(void)state;
	assert_true(read_of(&file, &dynamic));
	assert_int_equal(dynamic.name_count, 2);
	assert_string_equal(dynamic.names[0], "liba.so");
	assert_string_equal(dynamic.names[1], "libb.so");
	assert_string_equal(dynamic.runpath, "/run/path");
	assert_null(dynamic.rpath);
	assert_int_equal(stat("file", &info), 0);
	assert_int_equal(dynamic.inode, info.st_ino);
	needed_dynamic_release(&dynamic);
	assert_int_equal(dynamic.name_count, 0);
	file.entries[4].d_tag = DT_RPATH;
	assert_true(read_of(&file, &dynamic));
	assert_string_equal(dynamic.rpath, "/run/path");
	needed_dynamic_release(&dynamic);
}

/* What is behind the end of the list, or of its segment, is not read. */
static void test_the_end_of_the_list(void **state)
{
	struct elf_file file = elf_made();
	struct needed_dynamic dynamic;

	(void)state;
	file.entries[6] = (ElfW(Dyn)){DT_NEEDED, {1}};
	assert_true(read_of(&file, &dynamic));
	assert_int_equal(dynamic.name_count, 2);
	needed_dynamic_release(&dynamic);
	file.segments[1].p_type = PT_NOTE; /* without one nothing is needed */
	assert_true(read_of(&file, &dynamic));
	assert_int_equal(dynamic.name_count, 0);
	assert_null(dynamic.strings);
	needed_dynamic_release(&dynamic);
}

static void test_names_that_lie_nowhere(void **state)
{
	struct elf_file file = elf_made();
	struct needed_dynamic dynamic;

	(void)state;
	file.entries[0].d_un.d_val = sizeof(STRINGS); /* right behind the texts */
	file.entries[1].d_un.d_val = 0;		      /* an empty one */
	file.entries[4].d_un.d_val = UINT64_MAX - 1;
	assert_true(read_of(&file, &dynamic));
	assert_int_equal(dynamic.name_count, 0);
	assert_null(dynamic.runpath);
	needed_dynamic_release(&dynamic);
}

static void test_texts_that_lie_outside(void **state)
{
	struct needed_dynamic dynamic;
	struct elf_file file = elf_made();

	(void)state;
	file.entries[2].d_un.d_ptr = 0xfff; /* in front of the segment */
	assert_false(read_of(&file, &dynamic));
	file.entries[2].d_un.d_ptr = UINT64_MAX;
	assert_false(read_of(&file, &dynamic));
	file = elf_made();
	file.entries[3].d_un.d_val = /* beyond its end */
		sizeof(file) - offsetof(struct elf_file, strings) + 1;
	assert_false(read_of(&file, &dynamic));
	file.entries[3].d_un.d_val = UINT64_MAX;
	assert_false(read_of(&file, &dynamic));
	file = elf_made();
	file.segments[0].p_filesz -= sizeof(file.strings); /* in the file, not in the program */
	assert_false(read_of(&file, &dynamic));
	assert_null(dynamic.strings); /* nothing to release */
}

static void test_files_of_others(void **state)
{
	struct needed_dynamic dynamic;
	struct elf_file file = elf_made();

	(void)state;
	file.header.e_machine = (ElfW(Half))(exec_own_machine() + 1);
	assert_false(read_of(&file, &dynamic));
	file = elf_made();
	file.header.e_phnum = UINT16_MAX;
	assert_false(read_of(&file, &dynamic));
	file = elf_made();
	file.header.e_ident[0] = 'e';
	assert_false(read_of(&file, &dynamic));
	file = elf_made();
	folder_put("cut", &file, sizeof(file.header) - 1);
	assert_false(needed_dynamic_read("cut", &dynamic));
	assert_false(needed_dynamic_read("absent", &dynamic));
	assert_false(needed_dynamic_read(".", &dynamic));
	assert_int_equal(mkfifo("pipe", 0600), 0); /* is not waited for */
	assert_false(needed_dynamic_read("pipe", &dynamic));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_what_is_needed),		IN_FOLDER(test_the_end_of_the_list),
		IN_FOLDER(test_names_that_lie_nowhere), IN_FOLDER(test_texts_that_lie_outside),
		IN_FOLDER(test_files_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
