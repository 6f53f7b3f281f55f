/* Descriptions of this process's own modules, and of what is none. */
#include "object/unwind/textmodule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct described { /* the module of an address, by the loader and by its headers */
	uint64_t address;
	struct textmap_module told, read;
	bool has_read;
};

static void describe(const struct modulescan_found *found, void *context)
{
	struct described *described = context;

	if (described->address < found->start || described->address >= found->end)
		return;
	textmodule_describe(found, &described->told);
	described->has_read =
		textmodule_describe_headers(found->start, found->end, &described->read);
}

static struct described own_module(void)
{
	struct described described = {.address = (uintptr_t)own_module};

	assert_int_equal(modulescan(describe, &described), 0);
	return described;
}

static void test_text_covers_the_code(void **state)
{
	struct described described = own_module();
	const struct textmap_module *module = &described.told;

	(void)state;
	assert_true(module->start <= module->text_start && module->text_end <= module->end);
	assert_true(module->text_start <= described.address &&
		    described.address < module->text_end);
	assert_in_range(module->text_count, 1, TEXTMAP_TEXTS_MAX);
	assert_non_null(module->section.frames);
	assert_true(module->section.frames_address > module->start &&
		    module->section.frames_address < module->end);
}

static void test_headers_in_memory_say_the_same(void **state)
{
	struct described described = own_module();

	(void)state;
	assert_true(described.has_read);
	assert_int_equal(described.read.text_start, described.told.text_start);
	assert_int_equal(described.read.text_end, described.told.text_end);
	assert_int_equal(described.read.section.frames_address,
			 described.told.section.frames_address);
	assert_int_equal(described.read.section.frames_size, described.told.section.frames_size);
	assert_int_equal(described.read.fingerprint, described.told.fingerprint);
	assert_int_equal(described.read.build_id, described.told.build_id);
}

static void test_module_is_there_until_its_tables_change(void **state)
{
	struct textmap_module module = own_module().told;

	(void)state;
	assert_true(textmodule_is_there(&module, false));
	assert_true(textmodule_is_there(&module, true));
	module.fingerprint++;
	assert_false(textmodule_is_there(&module, true));
	module.section.frames = NULL; /* without tables nothing can be missing */
	assert_true(textmodule_is_there(&module, true));
}

static void test_what_was_unmapped_is_not_read(void **state)
{
	const size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
	char *gone = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct textmap_module module = own_module().told, out;
	uint64_t start = (uintptr_t)gone;

	(void)state;
	assert_true(gone != MAP_FAILED);
	assert_false(textmodule_describe_headers(start, start + size, &out));
	assert_false(textmodule_describe_made(start, start + 16, start + 16, start + size, &out));
	module.section.header_address = start;
	assert_false(textmodule_is_there(&module, true));
	munmap(gone, size);
}

static void test_other_memory_is_no_module(void **state)
{
	static const char zeros[4096];
	static const unsigned char damaged[64] = {0x7f, 'E', 'L', 'F', [54] = 56, [56] = 0xff};
	uint64_t start = (uintptr_t)zeros, bad = (uintptr_t)damaged;
	struct textmap_module out;

	(void)state;
	assert_false(textmodule_describe_headers(start, start + sizeof(zeros), &out));
	assert_false(textmodule_describe_headers(bad, bad + sizeof(damaged), &out));
	assert_false(textmodule_describe_kernels(start, start + sizeof(zeros), &out));
	/* No room for a table in front of the limit. */
	assert_false(textmodule_describe_made(start, start + 64, start + 64, start + 70, &out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_covers_the_code),
		cmocka_unit_test(test_headers_in_memory_say_the_same),
		cmocka_unit_test(test_module_is_there_until_its_tables_change),
		cmocka_unit_test(test_what_was_unmapped_is_not_read),
		cmocka_unit_test(test_other_memory_is_no_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
