/* Files of modules: the right one, another build's, none. */
#include "object/image/module_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void expect_state(const char *path, const char *build_id, enum module_file_state state)
{
	struct module_files files;
	bool is_open = module_files_open(&files, path, build_id, false);

	assert_int_equal(files.state, state);
	assert_int_equal(files.own.elf != NULL, state == MODULE_FILE_OK);
	assert_int_equal(is_open, files.own.elf != NULL || files.debug.elf != NULL);
	module_files_close(&files);
}

static void test_own_file_is_opened(void **state)
{
	(void)state;
	expect_state("/proc/self/exe", NULL, MODULE_FILE_OK);
}

static void test_states_say_why_there_is_none(void **state)
{
	(void)state;
	expect_state("/nowhere/x", NULL, MODULE_FILE_MISSING);
	expect_state("/tmp", NULL, MODULE_FILE_MISSING);
	expect_state("/proc/self/exe", "0123456789abcdef", MODULE_FILE_CHANGED);
	expect_state("/etc/passwd", NULL, MODULE_FILE_FOREIGN);
}

static void test_sections_are_found_by_name_or_type(void **state)
{
	struct module_files files;
	GElf_Shdr header;

	(void)state;
	assert_true(module_files_open(&files, "/proc/self/exe", NULL, false));
	assert_non_null(module_section(files.own.elf, ".text", SHT_NULL, &header));
	assert_int_equal(header.sh_type, SHT_PROGBITS);
	assert_true(header.sh_flags & SHF_EXECINSTR);
	assert_non_null(module_section(files.own.elf, NULL, SHT_DYNSYM, &header));
	assert_int_equal(header.sh_type, SHT_DYNSYM);
	assert_null(module_section(files.own.elf, ".no.such", SHT_NULL, &header));
	module_files_close(&files);
}

static void test_kernel_s_library_is_in_memory(void **state)
{
	struct module_files files;
	GElf_Shdr header;

	(void)state;
	if (!module_files_open(&files, "[vdso]", NULL, false))
		skip(); /* this kernel gives none */
	assert_non_null(module_section(files.own.elf, NULL, SHT_DYNSYM, &header));
	assert_int_equal(files.own.fd, -1);
	module_files_close(&files);
}

static void test_closing_twice_does_no_harm(void **state)
{
	struct module_files files;

	(void)state;
	module_files_open(&files, "/proc/self/exe", NULL, false);
	assert_ptr_equal(module_files_mini(&files), files.mini.elf);
	module_files_close(&files);
	module_files_close(&files);
	assert_null(files.own.elf);
	assert_int_equal(files.own.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_file_is_opened),
		cmocka_unit_test(test_states_say_why_there_is_none),
		cmocka_unit_test(test_sections_are_found_by_name_or_type),
		cmocka_unit_test(test_kernel_s_library_is_in_memory),
		cmocka_unit_test(test_closing_twice_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
