/* The loader's view of a file, of this program as the linker has made it. */
#include "patch/analyse/file/patchdynamic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct patch_module *module;
static struct patch_dynamic dynamic;

static int set_up(void **state)
{
	struct problem problem;

	(void)state;
	if (patchmodule_open("/proc/self/exe", &module, &problem) != KYMO_OK)
		return -1;
	patchdynamic_read(module, &dynamic);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	patchmodule_close(module);
	return 0;
}

/* The symbol of a function that another file has; 0 = there is none. */
static uint64_t find(const char *name)
{
	for (uint64_t i = 1; i < dynamic.symbol_count; i++)
		if (dynamic.symbols[i].st_name < dynamic.texts_size &&
		    strcmp(dynamic.texts + dynamic.symbols[i].st_name, name) == 0)
			return i;
	return 0;
}

static void test_symbols(void **state)
{
	uint64_t symbol = find("_cmocka_run_group_tests");

	(void)state;
	assert_int_not_equal(symbol, 0);
	assert_int_equal(dynamic.symbols[symbol].st_shndx, SHN_UNDEF);
	assert_int_equal(find("no_such_symbol"), 0);
}

static void test_relocations_are_of_symbols(void **state)
{
	const uint64_t symbol = find("_cmocka_run_group_tests");
	unsigned found = 0;

	(void)state;
	for (unsigned table = 0; table < 2; table++)
		for (uint64_t i = 0; i < dynamic.relocation_counts[table]; i++) {
			const Elf64_Rela *relocation = &dynamic.relocations[table][i];

			assert_true(ELF64_R_SYM(relocation->r_info) < dynamic.symbol_count);
			found += ELF64_R_SYM(relocation->r_info) == symbol;
		}
	assert_true(found > 0);
}

static void test_versions(void **state)
{
	const uint64_t known = find("__libc_start_main"), none = find("_cmocka_run_group_tests");

	(void)state;
	assert_int_not_equal(known, 0);
	assert_memory_equal(patchdynamic_version(module, &dynamic, known), "GLIBC_2.", 8);
	assert_string_equal(patchdynamic_version(module, &dynamic, none), "");
	assert_string_equal(patchdynamic_version(module, &dynamic, UINT64_C(1) << 40), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_symbols, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_relocations_are_of_symbols, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_versions, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
