/* The symbols of one ELF file. */
#include "object/symbols/symbol_table.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
static const bool has_red_zones = __has_feature(address_sanitizer);

extern int symbol_table_object;
int symbol_table_object = 5; /* to be found by its name */

static const struct symbol *named(const struct symbol_table *table, enum symbol_kind kind,
				  const char *name)
{
	for (size_t i = 0; i < table->counts[kind]; i++)
		if (strcmp(table->names + table->symbols[kind][i].name, name) == 0)
			return &table->symbols[kind][i];
	return NULL;
}

static struct symbol_table of_this_program(void)
{
	struct symbol_table table;

	if (!symbol_table_read("/proc/self/exe", NULL, false, &table))
		skip(); /* built without libelf */
	return table;
}

static void test_functions_and_data(void **state)
{
	struct symbol_table table = of_this_program();
	const struct symbol *function = named(&table, SYMBOL_FUNCTION, "main"),
			    *data = named(&table, SYMBOL_DATA, "symbol_table_object");

	(void)state;
	assert_true(table.is_whole);
	assert_non_null(function);
	assert_non_null(data);
	/* AddressSanitizer puts a zone behind it that counts. */
	assert_in_range(data->size, sizeof(symbol_table_object),
			has_red_zones ? 64 : sizeof(symbol_table_object));
	assert_null(named(&table, SYMBOL_FUNCTION, "symbol_table_object"));
	symbol_table_release(&table);
}

/* Every address of a function leads to it, or to one inside of it. */
static void test_found_by_address(void **state)
{
	struct symbol_table table = of_this_program();
	const struct symbol *function = named(&table, SYMBOL_FUNCTION, "main"), *found;

	(void)state;
	for (uint64_t at = function->start; at < function->start + function->size; at++) {
		found = symbol_table_find(&table, SYMBOL_FUNCTION, at);
		assert_non_null(found);
		assert_true(found->start <= at && at < found->start + found->size);
	}
	assert_null(symbol_table_find(&table, SYMBOL_FUNCTION, 0));
	assert_null(symbol_table_find(&table, SYMBOL_FUNCTION, UINT64_MAX));
	for (int kind = 0; kind < SYMBOL_KIND_COUNT; kind++)
		for (size_t i = 1; i < table.counts[kind]; i++)
			assert_true(table.symbols[kind][i - 1].start <=
				    table.symbols[kind][i].start);
	symbol_table_release(&table);
}

static void test_another_build(void **state)
{
	struct symbol_table table = of_this_program();

	(void)state;
	symbol_table_release(&table);
	assert_false(symbol_table_read("/proc/self/exe", "0123456789abcdef", false, &table));
	assert_int_equal(table.counts[SYMBOL_FUNCTION], 0);
	assert_null(symbol_table_find(&table, SYMBOL_FUNCTION, 0x1000));
	symbol_table_release(&table);
}

static void test_no_files(void **state)
{
	static const char *const none[] = {"/nowhere", "/tmp", "/proc/self/maps", ""};
	struct symbol_table table;

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		assert_false(symbol_table_read(none[i], NULL, false, &table));
		assert_int_equal(table.counts[SYMBOL_DATA], 0);
		symbol_table_release(&table);
	}
}

/* Bytes changed anywhere in its tables: an answer, whatever it is. */
static void test_damaged(void **state)
{
	char path[] = "/tmp/kymo-symbols-XXXXXX";
	int from = open("/proc/self/exe", O_RDONLY), to = mkstemp(path);
	struct symbol_table table;
	struct stat info;
	char *bytes;

	(void)state;
	assert_int_equal(fstat(from, &info), 0);
	bytes = malloc((size_t)info.st_size);
	assert_int_equal(read(from, bytes, (size_t)info.st_size), info.st_size);
	assert_int_equal(write(to, bytes, (size_t)info.st_size), info.st_size);
	for (off_t at = 16; at < 64; at++) { /* the header, one byte after the other */
		char wrong = (char)(bytes[at] ^ 0x5a);

		assert_int_equal(pwrite(to, &wrong, 1, at), 1);
		symbol_table_read(path, NULL, false, &table);
		symbol_table_find(&table, SYMBOL_FUNCTION, 0x1000);
		symbol_table_release(&table);
		assert_int_equal(pwrite(to, bytes + at, 1, at), 1);
	}
	free(bytes);
	close(from);
	close(to);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_and_data),
		cmocka_unit_test(test_found_by_address),
		cmocka_unit_test(test_another_build),
		cmocka_unit_test(test_no_files),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
