/* Tiles: items in order as differences, and what a tile costs of the page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command/xalloc.h"

#include "view/timeline/lod_tiles.h"

static struct lod_tile tile_of(const struct lod_item *items, uint32_t count, enum lod_kind part)
{
	struct lod_pending pending = {malloc(count * sizeof(*items)), count};
	struct lod_tile tile;

	assert_non_null(pending.items);
	memcpy(pending.items, items, count * sizeof(*items));
	tile = lod_tile_make(&pending, 3, part);
	assert_int_equal(pending.count, 0);
	free(pending.items);
	assert_int_equal(tile.level, 3);
	assert_int_equal(tile.part, part);
	assert_int_equal(tile.count, count);
	return tile;
}

static void expect_bytes(struct lod_tile *tile, const char *bytes, size_t size)
{
	assert_int_equal(tile->size, size);
	assert_memory_equal(tile->bytes, bytes, size);
	xfree(tile->bytes);
}

static void test_items_come_by_depth_then_by_time(void **state)
{
	static const struct lod_item items[] = {
		{.start_ns = 130, .end_ns = 140, .busy_ns = 10, .count = 1, .region = 2},
		{.start_ns = 105, .end_ns = 110, .busy_ns = 5, .count = 1, .region = 3, .depth = 4},
		{.start_ns = 100, .end_ns = 120, .busy_ns = 20, .count = 1, .region = 1},
	};
	struct lod_tile tile = tile_of(items, 3, LOD_EXACT);

	(void)state;
	assert_int_equal(tile.start_ns, 100);
	assert_int_equal(tile.end_ns, 140);
	assert_false(tile.is_packed);
	/* Two depths: 0 with two items, the second 10 after the first; 4 with one, 5 after the
	 * tile's start. */
	expect_bytes(&tile,
		     "\2"
		     "\0\2\0\24\1\12\12\2"
		     "\4\1\5\5\3",
		     14);
}

static void test_joined_items_say_how_many_they_are_and_what_was_idle(void **state)
{
	static const struct lod_item items[] = {
		{.start_ns = 7, .end_ns = 27, .busy_ns = 14, .count = 3, .region = 1},
		{.start_ns = 30, .end_ns = 31, .busy_ns = 1, .count = 1, .region = 2},
	};
	struct lod_tile tile = tile_of(items, 2, LOD_JOINED);

	(void)state;
	expect_bytes(&tile,
		     "\1\0\2"
		     "\0\24\1\3\6"
		     "\3\1\2\1",
		     12);
}

static void test_longest_times_and_regions_come_through(void **state)
{
	static const struct lod_item items[] = {
		{.start_ns = 0, .end_ns = (UINT64_C(1) << 53) - 1, .count = 1, .region = 300},
	};
	struct lod_tile tile = tile_of(items, 1, LOD_EXACT);

	(void)state;
	expect_bytes(&tile, "\1\0\1\0\xff\xff\xff\xff\xff\xff\xff\17\xac\2", 14);
}

static void test_cost_covers_base64_and_the_index(void **state)
{
	struct lod_tile tile = {.size = 1};
	uint64_t least = lod_tile_cost(&tile);

	(void)state;
	assert_true(least >= 4);
	tile.size = 4;
	assert_int_equal(lod_tile_cost(&tile), least + 4);
	tile.size = 3;
	assert_int_equal(lod_tile_cost(&tile), least);
	/* One that is an element of its own costs what stands around it. */
	tile.is_packed = true;
	assert_true(lod_tile_cost(&tile) >
		    least + strlen("<script id=\"kymo-timeline-0\"></script>"));
}

static void test_large_tiles_are_compressed(void **state)
{
	struct lod_item *items = calloc(LOD_TILE_ITEMS, sizeof(*items));
	struct lod_tile tile;

	(void)state;
	assert_non_null(items);
	for (uint32_t i = 0; i < LOD_TILE_ITEMS; i++)
		items[i] = (struct lod_item){10 * i, 10 * i + 5, 5, 1, 1, 0};
	tile = tile_of(items, LOD_TILE_ITEMS, LOD_EXACT);
	free(items);
	/* Without zlib it stays as it is: three bytes an item. */
	assert_true(tile.is_packed ? tile.size < LOD_TILE_ITEMS : tile.size > 3 * LOD_TILE_ITEMS);
	xfree(tile.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_items_come_by_depth_then_by_time),
		cmocka_unit_test(test_joined_items_say_how_many_they_are_and_what_was_idle),
		cmocka_unit_test(test_longest_times_and_regions_come_through),
		cmocka_unit_test(test_cost_covers_base64_and_the_index),
		cmocka_unit_test(test_large_tiles_are_compressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
