/* An index of addresses: it narrows every search to what a search of all finds. */
#include "patch/analyse/patchindex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct entry {
	uint64_t address, other;
};

/* How many do not begin behind address. */
static size_t count_to(const struct entry *entries, size_t count, uint64_t address)
{
	size_t number = 0;

	while (number < count && entries[number].address <= address)
		number++;
	return number;
}

static void check(const struct patch_index *index, const struct entry *entries, size_t count,
		  uint64_t address)
{
	size_t low, high, number = count_to(entries, count, address);

	patchindex_narrow(index, address, count, &low, &high);
	assert_true(low <= number && number <= high && high <= count);
}

static void check_all(const struct entry *entries, size_t count)
{
	struct patch_index index;

	assert_true(patchindex_make(&index, entries, count, sizeof(*entries)));
	check(&index, entries, count, 0);
	check(&index, entries, count, UINT64_MAX);
	for (size_t i = 0; i < count; i++)
		for (uint64_t near = 0; near < 130; near++) {
			check(&index, entries, count, entries[i].address + near);
			check(&index, entries, count, entries[i].address - near);
		}
	patchindex_release(&index);
	assert_null(index.before);
}

static void tables_of_all_kinds(void **state)
{
	enum { COUNT = 500 };
	const uint64_t gaps[] = {1, 16, 63, 64, 65, 1000, 1u << 20};
	struct entry entries[COUNT] = {{0, 0}};

	(void)state;
	check_all(entries, 0);
	for (size_t gap = 0; gap < sizeof(gaps) / sizeof(gaps[0]); gap++) {
		uint64_t address = 0x401000;

		for (size_t i = 0; i < COUNT; i++) {
			entries[i].address = address;
			address += i % 7 == 3 ? 0 : 1 + (uint64_t)(i * 2654435761u) % gaps[gap];
		}
		check_all(entries, COUNT);
		check_all(entries, 1);
		check_all(entries, 2);
	}
}

/* Far apart, the stretches are larger: memory is bounded by the number of entries. */
static void few_that_are_far_apart(void **state)
{
	const struct entry entries[] = {{0x1000, 0}, {0x1010, 0}, {UINT64_C(1) << 46, 0}};
	struct patch_index index;

	(void)state;
	check_all(entries, 3);
	assert_true(patchindex_make(&index, entries, 3, sizeof(*entries)));
	assert_true(index.stretches <= 12);
	patchindex_release(&index);
}

/* With gaps of 64 bytes and more hardly anything is left to search. */
static void searches_are_narrow(void **state)
{
	enum { COUNT = 1000 };
	struct entry entries[COUNT];
	struct patch_index index;
	size_t low, high;

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		entries[i] = (struct entry){0x400000 + i * 100, 0};
	assert_true(patchindex_make(&index, entries, COUNT, sizeof(*entries)));
	for (uint64_t address = 0x400000; address < 0x400000 + COUNT * 100; address++) {
		patchindex_narrow(&index, address, COUNT, &low, &high);
		assert_true(high - low <= 1);
	}
	/* Of a table that has changed it says nothing. */
	patchindex_narrow(&index, 0x400100, COUNT - 1, &low, &high);
	assert_true(low == 0 && high == COUNT - 1);
	patchindex_release(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_all_kinds),
		cmocka_unit_test(few_that_are_far_apart),
		cmocka_unit_test(searches_are_narrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
