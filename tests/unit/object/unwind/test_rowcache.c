/* Rows by address: what is there is right, whoever wrote last. */
#include "object/unwind/rowcache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_found_again(void **state)
{
	uint64_t now = rowcache_now(), row;

	(void)state;
	assert_false(rowcache_get(0x401234, now, &row));
	rowcache_put(0x401234, now, 0x1122334455667788);
	assert_true(rowcache_get(0x401234, now, &row));
	assert_true(row == 0x1122334455667788);
	assert_false(rowcache_get(0x401235, now, &row));
}

/* Another address in the same slot: never its row. */
static void test_collisions_are_misses(void **state)
{
	const struct rowcache_entry *slot = rowcache_slot(0x500000);
	uint64_t now = rowcache_now(), other = 0x500001, row;

	(void)state;
	while (rowcache_slot(other) != slot)
		other++;
	rowcache_put(0x500000, now, 7);
	assert_false(rowcache_get(other, now, &row));
	rowcache_put(other, now, 8);
	assert_true(rowcache_get(other, now, &row));
	assert_int_equal(row, 8);
	assert_false(rowcache_get(0x500000, now, &row));
}

/* Two words of different writers do not belong together. */
static void test_half_written_entries_are_misses(void **state)
{
	struct rowcache_entry *slot = rowcache_slot(0x600000);
	uint64_t now = rowcache_now(), row;

	(void)state;
	rowcache_put(0x600000, now, 7);
	slot->row = 8;
	assert_false(rowcache_get(0x600000, now, &row));
}

static void test_a_new_generation_forgets(void **state)
{
	uint64_t before = rowcache_now(), row;

	(void)state;
	rowcache_put(0x700000, before, 7);
	rowcache_forget();
	assert_false(rowcache_get(0x700000, rowcache_now(), &row));
	rowcache_put(0x700000, before, 9); /* looked up before it was forgotten */
	assert_false(rowcache_get(0x700000, rowcache_now(), &row));
}

static void test_neighbours_have_slots_of_their_own(void **state)
{
	(void)state;
	for (uint64_t pc = 0x401000; pc < 0x402000; pc++) {
		const struct rowcache_entry *slot = rowcache_slot(pc);

		assert_true(slot >= rowcache && slot < rowcache + (1u << ROWCACHE_BITS));
		assert_ptr_not_equal(slot, rowcache_slot(pc + 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found_again),
		cmocka_unit_test(test_collisions_are_misses),
		cmocka_unit_test(test_half_written_entries_are_misses),
		cmocka_unit_test(test_a_new_generation_forgets),
		cmocka_unit_test(test_neighbours_have_slots_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
