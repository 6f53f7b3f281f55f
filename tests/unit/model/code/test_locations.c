/* Locations of addresses of this very process: its program and libraries, the kernel's vdso
 * and vsyscall page, and what is nowhere.  What debug information says is compared with other
 * tools in tests/e2e/sampling/test_locations.py. */
#include "model/code/locations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <cmocka.h>

#define MODULES_MAX 64

struct loaded {
	struct module modules[MODULES_MAX];
	struct recording recording;
};

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct loaded *loaded = context;
	struct module module = {.start = UINT64_MAX, .bias = info->dlpi_addr};
	const char *path = info->dlpi_name;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		uint64_t end = start + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		module.start = start < module.start ? start : module.start;
		module.end = end > module.end ? end : module.end;
	}
	module.path = *path == '\0' ? "/proc/self/exe" : path;
	if (*path && *path != '/')
		module.path = "[vdso]";
	module.name = module.path;
	if (loaded->recording.module_count < MODULES_MAX)
		loaded->modules[loaded->recording.module_count++] = module;
	return 0;
}

static struct loaded *loaded_new(void)
{
	struct loaded *loaded = calloc(1, sizeof(*loaded));

	assert_non_null(loaded);
	dl_iterate_phdr(add_module, loaded);
	loaded->recording.modules = loaded->modules;
	return loaded;
}

static struct locations *locations_of(struct loaded *loaded)
{
	const struct locations_options options = {.has_lines = true, .has_inlines = true};
	struct locations *locations = locations_new(&loaded->recording, &options);

	assert_non_null(locations);
	return locations;
}

static void free_all(struct loaded *loaded, struct locations *locations)
{
	locations_free(locations);
	free(loaded);
}

static uint64_t address_of(const void *place)
{
	return (uint64_t)(uintptr_t)place;
}

static const char *function_at(struct locations *locations, uint64_t address)
{
	const struct location *found;

	return locations_find(locations, address, &found, NULL) == 1 ? found->function : "";
}

enum { MARKED_LINE = __LINE__ + 1 };
static __attribute__((noinline)) int marked(int value)
{
	return value * 3;
}

static void test_program_and_libraries(void **state)
{
	/* A library that the program was not started with. */
	void *library = dlopen("libm.so.6", RTLD_NOW);
	struct loaded *loaded = loaded_new();
	struct locations *locations = locations_of(loaded);
	const struct location *found, *again;
	const struct module *module;

	(void)state;
	assert_non_null(library);
	assert_int_equal(marked(2), 6);
	assert_int_equal(
		locations_find(locations, address_of((const void *)marked), &found, &module), 1);
	assert_string_equal(found->function, "marked");
	assert_true(found->is_named && !found->is_inlined);
	if (found->line) { /* built with libdw */
		assert_int_equal(found->first_line, MARKED_LINE);
		assert_non_null(strstr(found->file, "test_locations.c"));
	}
	assert_string_equal(module->path, "/proc/self/exe");
	assert_int_equal(locations_find(locations, address_of((const void *)marked), &again, NULL),
			 1);
	assert_ptr_equal(found, again);
	assert_string_equal(function_at(locations, address_of(dlsym(library, "cbrt"))), "cbrt");
	free_all(loaded, locations);
	dlclose(library);
}

static void test_kernels_own_pages(void **state)
{
	struct loaded *loaded = loaded_new();
	struct locations *locations = locations_of(loaded);
	uint64_t start = getauxval(AT_SYSINFO_EHDR), vsyscall = UINT64_C(0xffffffffff600000);
	bool has_clock = false;

	(void)state;
	for (uint64_t at = start; start && at < start + 8192; at++) {
		const char *name = function_at(locations, at);

		has_clock |= strstr(name, "clock_gettime") != NULL;
	}
	assert_true(has_clock || !start);
	assert_string_equal(function_at(locations, vsyscall + 0x401), "[vsyscall] time");
	/* As a frame of 62 bits has it. */
	assert_string_equal(function_at(locations, vsyscall & UINT64_MAX >> 2),
			    "[vsyscall] gettimeofday");
	assert_string_equal(function_at(locations, vsyscall + 0xc02), "[vsyscall]+0xc02");
	free_all(loaded, locations);
}

static void test_nowhere(void **state)
{
	struct loaded *loaded = loaded_new();
	struct locations *locations = locations_of(loaded);
	const struct location *found;
	const struct module *module = loaded->modules;
	char *const *lines;

	(void)state;
	assert_int_equal(locations_find(locations, 16, &found, &module), 1);
	assert_string_equal(found->function, "[unknown]");
	assert_false(found->is_named);
	assert_null(module);
	assert_int_equal(locations_problems(locations, &lines), 0);
	free_all(loaded, locations);
}

/* Of modules that were seen at one place the last one counts, and a file that is gone is told
 * of once. */
static void test_module_that_was_replaced(void **state)
{
	struct loaded *loaded = loaded_new();
	uint64_t address = address_of((const void *)marked);
	struct locations *locations;
	char *const *lines;

	(void)state;
	loaded->modules[loaded->recording.module_count++] = (struct module){
		.start = address - 64,
		.end = address + 64,
		.bias = address - 0x1000,
		.path = "/gone/libnew.so",
		.name = "/gone/libnew.so",
	};
	locations = locations_of(loaded);
	assert_string_equal(function_at(locations, address), "libnew.so+0x1000");
	assert_string_equal(function_at(locations, address + 1), "libnew.so+0x1001");
	if (locations_problems(locations, &lines)) { /* built with libdw */
		assert_int_equal(locations_problems(locations, &lines), 1);
		assert_string_equal(lines[0], "functions have no names: '/gone/libnew.so' "
					      "can no longer be read");
	}
	free_all(loaded, locations);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program_and_libraries),
		cmocka_unit_test(test_kernels_own_pages),
		cmocka_unit_test(test_nowhere),
		cmocka_unit_test(test_module_that_was_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
