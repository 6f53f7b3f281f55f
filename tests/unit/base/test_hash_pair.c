/* Pairs of numbers as keys: never taken for each other, and spread evenly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hashset.h"

#define SIDE 600u

static void test_every_pair_is_found_again(void **state)
{
	struct hashset set = {0};

	(void)state;
	for (uint32_t a = 0; a < SIDE; a++) {
		for (uint32_t b = 0; b < SIDE; b++) {
			/* Nothing added before is taken for this pair. */
			assert_int_equal(hashset_find_key(&set, hash_pair(a, b)), 0);
			assert_true(hashset_insert(&set, hash_pair(a, b), 1 + a * SIDE + b));
		}
	}
	for (uint32_t a = 0; a < SIDE; a++) {
		for (uint32_t b = 0; b < SIDE; b++)
			assert_int_equal(hashset_find_key(&set, hash_pair(a, b)), 1 + a * SIDE + b);
	}
	hashset_release(&set);
}

/* Call paths are pairs of small numbers: their slots must not pile up.  A probe begins
 * at the key's own slot, so its length is how far behind that the key lies. */
static void test_small_pairs_do_not_pile_up(void **state)
{
	struct hashset set = {0};
	uint64_t steps = 0;

	(void)state;
	for (uint32_t parent = 1; parent <= 50000; parent++) {
		for (uint32_t region = 1; region <= 3; region++)
			assert_true(hashset_insert(&set, hash_pair(parent, region), 1));
	}
	for (size_t i = 0; i < set.capacity; i++) {
		size_t run = i;

		while (set.slots[run].value)
			run = (run + 1) & (set.capacity - 1);
		steps += run >= i ? run - i : run + set.capacity - i;
	}
	/* At random, the way to the next free slot is 4 at three quarters full. */
	assert_true(steps / set.capacity < 8);
	hashset_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_pair_is_found_again),
		cmocka_unit_test(test_small_pairs_do_not_pile_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
