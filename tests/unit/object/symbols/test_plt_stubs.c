/* The stubs of the libraries that this test has loaded, and whom they call. */
#include "object/symbols/plt_stubs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <link.h>
#include <stdbool.h>

#include "object/image/module_files.h"

struct seen { /* of one module */
	const struct dl_phdr_info *module;
	unsigned int count, named_count;
};

/* In the file's addresses. */
static bool is_code(const struct dl_phdr_info *module, uint64_t start, uint64_t size)
{
	for (unsigned int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) &&
		    start >= segment->p_vaddr && size <= segment->p_memsz &&
		    start - segment->p_vaddr <= segment->p_memsz - size)
			return true;
	}
	return false;
}

static void look_at(const struct plt_stub *stub, void *context)
{
	struct seen *seen = context;

	seen->count++;
	seen->named_count += stub->function != NULL;
	if (!seen->module)
		return;
	assert_true(is_code(seen->module, stub->start, stub->size));
	if (!stub->function) /* the function that chooses is code, too */
		assert_true(is_code(seen->module, stub->target, 1));
}

static int look_at_module(struct dl_phdr_info *module, size_t size, void *context)
{
	struct seen seen = {.module = module}, *all = context;
	struct module_files files;

	(void)size;
	if (*module->dlpi_name && module_files_open(&files, module->dlpi_name, NULL, false)) {
		if (files.own.elf)
			plt_stubs_each(files.own.elf, look_at, &seen);
		module_files_close(&files);
	}
	all->count += seen.count;
	all->named_count += seen.named_count;
	return 0;
}

static void test_stubs_of_loaded_libraries_are_code(void **state)
{
	struct seen all = {.count = 0};

	(void)state;
	dl_iterate_phdr(look_at_module, &all);
	if (all.count == 0)
		skip(); /* another processor, or nothing is called through stubs */
	assert_true(all.named_count <= all.count);
}

static void test_kernel_s_library_calls_nobody(void **state)
{
	struct module_files files;
	struct seen seen = {.count = 0};

	(void)state;
	if (module_files_open(&files, "[vdso]", NULL, false))
		plt_stubs_each(files.own.elf, look_at, &seen);
	assert_int_equal(seen.count, 0);
	module_files_close(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stubs_of_loaded_libraries_are_code),
		cmocka_unit_test(test_kernel_s_library_calls_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
