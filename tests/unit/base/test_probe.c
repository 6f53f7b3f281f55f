/* Open addressing: against a list, for keys that collide, and round the table's end. */
#include "base/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SLOTS 32u

static uint32_t table[SLOTS]; /* keys; 0 = free */

/* Where key is, or belongs; hashes come from 0 to spread - 1, from there on. */
static uint32_t place_of(uint32_t key, uint32_t spread, uint32_t from)
{
	return probe(from + key % spread, SLOTS - 1, i, !table[i] || table[i] == key);
}

/* All but one slot are filled, for each kind of clustering: every key is found where it was put,
 * one that was not put meets a free slot. */
static void test_keys_are_found_again(void **state)
{
	(void)state;
	for (uint32_t spread = 1; spread <= 2 * SLOTS; spread++) {
		for (uint32_t from = 0; from < SLOTS; from++) {
			memset(table, 0, sizeof(table));
			for (uint32_t key = 1; key < SLOTS; key++) {
				assert_int_equal(table[place_of(key, spread, from)], 0);
				table[place_of(key, spread, from)] = key;
			}
			for (uint32_t key = 1; key < SLOTS; key++)
				assert_int_equal(table[place_of(key, spread, from)], key);
			assert_int_equal(table[place_of(SLOTS, spread, from)], 0);
		}
	}
}

/* The upper bits of the hash do not count, nor does its type. */
static void test_hash_is_cut(void **state)
{
	const uint64_t hash = UINT64_MAX - 7;

	(void)state;
	assert_int_equal(probe(hash, SLOTS - 1, i, i < SLOTS), SLOTS - 8);
	assert_int_equal(probe(hash, (uint64_t)SLOTS - 1, i, i < SLOTS), SLOTS - 8);
	assert_int_equal(probe(hash, 0u, i, i == 0), 0);
}

static void test_arguments_are_evaluated_once(void **state)
{
	uint32_t hash = 3, mask = SLOTS - 2;
	uint32_t at = probe(hash++, ++mask, i, i == 2);

	(void)state;
	assert_int_equal(at, 2);
	assert_int_equal(hash, 4);
	assert_int_equal(mask, SLOTS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_are_found_again),
		cmocka_unit_test(test_hash_is_cut),
		cmocka_unit_test(test_arguments_are_evaluated_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
