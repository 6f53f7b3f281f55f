/* Strips and their tiles: which levels are kept, and that the budget is held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/timeline/lod_fixture.h"
#include "view/timeline/lod_store.h"
#include "view/timeline/lod_tiles.h"

static uint64_t cost_of(const struct lod_store *store)
{
	uint64_t cost = 0;

	for (size_t i = 0; i < store->strip_count; i++) {
		for (uint32_t k = 0; k < store->strips[i].tile_count; k++)
			cost += lod_tile_cost(&store->strips[i].tiles[k]);
	}
	return cost;
}

/* Slices that a level of a strip shows. */
static uint64_t shown_at(const struct lod_strip *strip, unsigned int level)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < strip->tile_count; i++) {
		const struct lod_tile *tile = &strip->tiles[i];

		if (tile->part == LOD_JOINED ? tile->level == level : tile->level >= level)
			count += tile->count;
	}
	return count;
}

static void fill(struct lod_store *store, uint32_t thread, size_t count, uint64_t length_ns)
{
	uint64_t time = 0;

	lod_store_begin(store, 0, thread, LOD_SLICES);
	for (size_t i = 0; i < count; i++) {
		uint64_t length = next_random() % length_ns;

		lod_store_slice(store, time, time + length, 0, (uint32_t)(i % 50));
		time += length + next_random() % length_ns;
	}
	lod_store_end(store);
}

static void test_budget_is_held_where_there_is_most(void **state)
{
	const uint64_t budget = 200000;
	struct lod_store store;

	(void)state;
	seed = 5;
	lod_store_init(&store, budget, 1000000000);
	fill(&store, 0, 1000, 900);
	fill(&store, 1, 1000000, 900);
	fill(&store, 2, 1000, 900);
	assert_int_equal(store.strip_count, 3);
	assert_true(cost_of(&store) <= budget);
	assert_int_equal(store.cost, cost_of(&store));
	assert_int_equal(lod_strip_finest(&store.strips[0]), 0);
	assert_int_equal(lod_strip_finest(&store.strips[2]), 0);
	assert_int_equal(shown_at(&store.strips[0], 0), 1000);
	assert_true(lod_strip_finest(&store.strips[1]) > 0);
	assert_true(lod_strip_finest(&store.strips[1]) < LOD_LEVELS);
	assert_true(shown_at(&store.strips[1], lod_strip_finest(&store.strips[1])) > 1000);
	lod_store_release(&store);
}

static void test_even_no_budget_is_held(void **state)
{
	struct lod_store store;

	(void)state;
	lod_store_init(&store, 0, 1000000);
	for (uint32_t i = 0; i < 100; i++)
		fill(&store, i, 100, 90);
	assert_int_equal(store.strip_count, 100);
	for (size_t i = 0; i < store.strip_count; i++)
		assert_int_equal(lod_strip_finest(&store.strips[i]), LOD_LEVELS);
	assert_int_equal(cost_of(&store), 0);
	lod_store_release(&store);
}

static void test_few_slices_have_no_coarser_levels(void **state)
{
	struct lod_store store;

	(void)state;
	lod_store_init(&store, 1000000, 1000000000);
	lod_store_begin(&store, 3, 4, LOD_MARKS);
	lod_store_slice(&store, 7, 7, 0, 9);
	lod_store_end(&store);
	lod_store_begin(&store, 3, 5, LOD_SLICES);
	lod_store_end(&store);
	assert_int_equal(store.strip_count, 1);
	assert_int_equal(store.strips[0].kept, 1);
	assert_int_equal(store.strips[0].tile_count, 1);
	assert_int_equal(store.strips[0].tiles[0].start_ns, 7);
	assert_int_equal(store.strips[0].tiles[0].end_ns, 7);
	/* One depth, 0, one item: at once, no length, region 9. */
	assert_int_equal(store.strips[0].tiles[0].size, 6);
	assert_memory_equal(store.strips[0].tiles[0].bytes, "\1\0\1\0\0\11", 6);
	lod_store_release(&store);
}

static void test_deep_and_disordered_slices(void **state)
{
	struct lod_store store;

	(void)state;
	lod_store_init(&store, 100000000, 1000000000);
	lod_store_begin(&store, 0, 0, LOD_SLICES);
	for (uint32_t depth = 10000; depth-- > 0;)
		lod_store_slice(&store, depth, 1000000 - depth, depth, 1);
	lod_store_slice(&store, 5, 3, 0, 1);		     /* ends before it begins */
	lod_store_slice(&store, 1, 10, LOD_DEPTH_MAX, 1);    /* too deep */
	lod_store_slice(&store, 1, UINT64_C(1) << 52, 2, 1); /* far off; begins too early */
	lod_store_end(&store);
	assert_int_equal(store.too_deep_count, 1);
	assert_int_equal(store.strips[0].depth, 10000);
	assert_int_equal(store.strips[0].slice_count, 10002);
	assert_int_equal(shown_at(&store.strips[0], 0), 10002);
	lod_store_release(&store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_budget_is_held_where_there_is_most),
		cmocka_unit_test(test_even_no_budget_is_held),
		cmocka_unit_test(test_few_slices_have_no_coarser_levels),
		cmocka_unit_test(test_deep_and_disordered_slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
