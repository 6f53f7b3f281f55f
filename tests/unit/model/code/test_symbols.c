/* Names of addresses, from this very executable and from damaged copies of it. */
#include "model/code/symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/recording/recording_open.h"
#include "synthetic.h"

static int static_table[8] = {1};

/* As a C++ compiler calls ns::lock. */
int cxx_lock __asm__("_ZN2ns4lockE") = 2;

static int find_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; /* the first is the executable */
}

static struct module own_module(const char *path)
{
	struct module module = {.end = UINT64_MAX, .path = path, .name = path};

	dl_iterate_phdr(find_bias, &module.bias);
	return module;
}

static uint64_t address_of(const void *place)
{
	return (uint64_t)(uintptr_t)place;
}

static void test_finds_data_and_functions(void **state)
{
	struct module module = own_module("/proc/self/exe");
	struct symbols *symbols = symbols_new();
	const char *name;
	uint64_t offset;

	(void)state;
	assert_true(symbols_find(symbols, &module, SYMBOL_DATA, address_of(&static_table[3]), &name,
				 &offset));
	assert_string_equal(name, "static_table");
	assert_int_equal(offset, 3 * sizeof(int));
	assert_true(symbols_find(symbols, &module, SYMBOL_FUNCTION,
				 address_of((const void *)own_module) + 1, &name, &offset));
	assert_string_equal(name, "own_module");
	assert_int_equal(offset, 1);
	assert_false(symbols_find(symbols, &module, SYMBOL_FUNCTION, address_of(static_table),
				  &name, &offset));
	assert_false(
		symbols_find(symbols, &module, SYMBOL_DATA, address_of(&module), &name, &offset));
	symbols_free(symbols);
}

static void test_demangles(void **state)
{
	struct module module = own_module("/proc/self/exe");
	struct symbols *symbols = symbols_new();
	const char *name;
	uint64_t offset;

	(void)state;
	assert_true(
		symbols_find(symbols, &module, SYMBOL_DATA, address_of(&cxx_lock), &name, &offset));
	assert_string_equal(name, "ns::lock");
	symbols_free(symbols);
}

/* A file that was built anew since tells nothing about the old one. */
static void test_other_build(void **state)
{
	struct module module = own_module("/proc/self/exe");
	struct symbols *symbols = symbols_new();
	const char *name;
	uint64_t offset;

	(void)state;
	module.build_id = "0123456789abcdef";
	assert_false(symbols_find(symbols, &module, SYMBOL_DATA, address_of(static_table), &name,
				  &offset));
	module.path = "/nowhere";
	module.build_id = NULL;
	assert_false(symbols_find(symbols, &module, SYMBOL_DATA, address_of(static_table), &name,
				  &offset));
	symbols_free(symbols);
}

struct copy {
	char path[64];
	unsigned char *bytes;
	size_t size;
};

static struct copy copy_new(void)
{
	struct copy copy = {.path = "/tmp/kymo-symbols-XXXXXX"};
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), out = mkstemp(copy.path);
	struct stat info;

	assert_true(in >= 0 && out >= 0 && fstat(in, &info) == 0);
	copy.size = (size_t)info.st_size;
	copy.bytes = malloc(copy.size);
	assert_non_null(copy.bytes);
	assert_int_equal(read(in, copy.bytes, copy.size), copy.size);
	close(in);
	close(out);
	return copy;
}

static void copy_write(const struct copy *copy, size_t size)
{
	int out = open(copy->path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(out >= 0);
	assert_int_equal(write(out, copy->bytes, size), size);
	close(out);
}

static void copy_free(struct copy *copy)
{
	unlink(copy->path);
	free(copy->bytes);
}

/* Whatever a file holds, looking for a name ends well. */
static void look(const struct copy *copy)
{
	struct module module = own_module(copy->path);
	struct symbols *symbols = symbols_new();
	const char *name;
	uint64_t offset;

	if (symbols_find(symbols, &module, SYMBOL_DATA, address_of(static_table), &name, &offset))
		assert_non_null(name);
	symbols_free(symbols);
}

static void test_truncated_files(void **state)
{
	struct copy copy = copy_new();

	(void)state;
	for (size_t size = 0; size < copy.size; size += size < 128 ? 9 : copy.size / 61) {
		copy_write(&copy, size);
		look(&copy);
	}
	copy_free(&copy);
}

static void test_damaged_files(void **state)
{
	struct copy copy = copy_new();
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < 60; round++) {
		/* Headers and the tables of sections and symbols at the end. */
		for (int i = 0; i < 24; i++) {
			size_t place;

			random = random * 1664525u + 1013904223u;
			place = i % 2 ? (random >> 8) % 64 : copy.size - 1 - (random >> 8) % 4096;
			copy.bytes[place] = (unsigned char)(random >> 3);
		}
		memcpy(copy.bytes, "\177ELF\2\1\1", 7);
		copy_write(&copy, copy.size);
		look(&copy);
	}
	copy_free(&copy);
}

static const char *argument_of(const struct recording *recording, uint32_t region)
{
	return recording->regions[region].arguments;
}

static uint32_t add_object(struct synthetic *synthetic, const char *arguments, uint32_t flags)
{
	uint32_t id = synthetic_region(synthetic, KYMO_REGION_PTHREAD, "pthread_mutex_lock");
	uint64_t reference = synthetic_string(synthetic, arguments);

	synthetic_region_at(synthetic, id)->flags = flags;
	synthetic_region_at(synthetic, id)->arguments = reference;
	return id;
}

static void test_names_objects(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE);
	struct symbols *symbols = symbols_new();
	uint64_t bias = own_module(NULL).bias, address = address_of(static_table);
	uint32_t start, inside, other_file, heap, plain, nonsense;
	struct recording *recording;
	char text[64];

	(void)state;
	/* Of two at one place the later one counts. */
	synthetic_module(synthetic, "/gone/old.so", NULL, address - 4096, address + 4096, 0);
	synthetic_module(synthetic, "/proc/self/exe", NULL, address - 4096, address + 4096, bias);
	synthetic_module(synthetic, "/gone/lib.so", NULL, 0x1000, 0x2000, 0x1000);
	snprintf(text, sizeof(text), "(0x%llx)", (unsigned long long)address);
	start = add_object(synthetic, text, KYMO_REGION_OBJECT);
	plain = add_object(synthetic, text, 0);
	snprintf(text, sizeof(text), "(0x%llx)", (unsigned long long)address + 4);
	inside = add_object(synthetic, text, KYMO_REGION_OBJECT);
	other_file = add_object(synthetic, "(0x1040)", KYMO_REGION_OBJECT);
	heap = add_object(synthetic, "(0x10)", KYMO_REGION_OBJECT);
	nonsense = add_object(synthetic, "(0x1040, 3)", KYMO_REGION_OBJECT);
	recording = synthetic_open(synthetic);
	symbols_name_objects(symbols, recording);
	symbols_free(symbols);
	assert_string_equal(argument_of(recording, start), "(&static_table)");
	assert_string_equal(argument_of(recording, inside), "(&static_table+4)");
	assert_string_equal(argument_of(recording, other_file), "(lib.so+0x40)");
	assert_string_equal(argument_of(recording, heap), "(0x10)");
	assert_string_equal(argument_of(recording, nonsense), "(0x1040, 3)");
	assert_int_equal(strncmp(argument_of(recording, plain), "(0x", 3), 0);
	recording_free(recording);
	synthetic_free(synthetic);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_data_and_functions),
		cmocka_unit_test(test_demangles),
		cmocka_unit_test(test_other_build),
		cmocka_unit_test(test_truncated_files),
		cmocka_unit_test(test_damaged_files),
		cmocka_unit_test(test_names_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
