/* The open-addressing set: found again through growth and collisions. */
#include "base/hashset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static bool is_equal(uint64_t value, const void *key)
{
	return value == *(const uint64_t *)key;
}

static uint64_t find(const struct hashset *set, uint64_t hash, uint64_t value)
{
	return hashset_find(set, hash, is_equal, &value);
}

static void test_empty(void **state)
{
	struct hashset set = {0};

	(void)state;
	assert_int_equal(find(&set, 1, 1), 0);
	hashset_release(&set);
	assert_null(set.slots);
}

static void test_growth(void **state)
{
	struct hashset set = {0};

	(void)state;
	for (uint64_t value = 1; value <= 100000; value++) {
		assert_int_equal(find(&set, hash_bytes(HASH_SEED, &value, 8), value), 0);
		assert_true(hashset_insert(&set, hash_bytes(HASH_SEED, &value, 8), value));
	}
	assert_int_equal(set.count, 100000);
	assert_true(set.capacity >= set.count * 4 / 3 && set.capacity <= set.count * 4);
	for (uint64_t value = 1; value <= 100000; value++)
		assert_int_equal(find(&set, hash_bytes(HASH_SEED, &value, 8), value), value);
	assert_int_equal(find(&set, 5, 100001), 0);
	hashset_release(&set);
	assert_int_equal(find(&set, 5, 1), 0);
}

/* Equal hashes are told apart by the match; 0 is a hash like any other. */
static void test_equal_hashes(void **state)
{
	struct hashset set = {0};

	(void)state;
	for (uint64_t value = 1; value <= 300; value++)
		assert_true(hashset_insert(&set, value % 2 ? 0 : UINT64_MAX, value));
	for (uint64_t value = 1; value <= 300; value++) {
		assert_int_equal(find(&set, value % 2 ? 0 : UINT64_MAX, value), value);
		assert_int_equal(find(&set, value % 2 ? UINT64_MAX : 0, value), 0);
	}
	hashset_release(&set);
}

static void test_function_events(void **state)
{
	struct hashset set = {0};

	(void)state;
	for (uint32_t i = 0; i < 300; i++)
		for (uint32_t k = 0; k < 300; k++)
			assert_true(hashset_insert(&set, hash_pair(i, k), i * 300 + k + 1));
	for (uint32_t i = 0; i < 300; i++)
		for (uint32_t k = 0; k < 300; k++)
			assert_int_equal(hashset_find_key(&set, hash_pair(i, k)), i * 300 + k + 1);
	assert_int_equal(hashset_find_key(&set, hash_pair(300, 0)), 0);
	hashset_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_equal_hashes),
		cmocka_unit_test(test_function_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
