/* Strips and their tiles, and what is dropped if they exceed the budget. */
#include "view/timeline/lod_store.h"

#include <string.h>

#include "command/xalloc.h"
#include "view/timeline/lod_join.h"
#include "view/timeline/lod_tiles.h"

#define OVERVIEW_STEPS 1024u /* the coarsest level has about that many in all of the span */
#define FEW_ITEMS      256u  /* a level with no more needs no coarser one */

struct lod_writer {
	struct lod_join *join;
	struct lod_pending pending[LOD_LEVELS][LOD_PARTS];
	uint64_t counts[LOD_LEVELS][LOD_PARTS];
	uint64_t last_ns[LOD_DEPTH_MAX]; /* by depth: the end of the last slice */
};

unsigned int lod_strip_finest(const struct lod_strip *strip)
{
	return strip->kept ? (unsigned int)__builtin_ctz(strip->kept) : LOD_LEVELS;
}

/* For a kept level. */
static bool is_needed(const struct lod_strip *strip, const struct lod_tile *tile)
{
	unsigned int finest = lod_strip_finest(strip);

	if (tile->part == LOD_JOINED)
		return strip->kept >> tile->level & 1;
	return tile->level >= finest;
}

static void free_tile(struct lod_tile *tile)
{
	xfree(tile->bytes);
	tile->bytes = NULL;
}

static uint64_t store_cost_of(const struct lod_strip *strip, uint32_t kept)
{
	struct lod_strip rest = *strip;
	uint64_t cost = 0;

	rest.kept = kept;
	for (uint32_t i = 0; kept && i < strip->tile_count; i++) {
		if (is_needed(&rest, &strip->tiles[i]))
			cost += lod_tile_cost(&strip->tiles[i]);
	}
	return cost;
}

/* Empty finer levels are dropped together with the first that is not. */
static void sum_costs(struct lod_strip *strip)
{
	strip->cost = store_cost_of(strip, strip->kept);
	strip->coarser = strip->kept;
	do {
		strip->coarser &= strip->coarser - 1;
		strip->finest_cost = strip->cost - store_cost_of(strip, strip->coarser);
	} while (strip->coarser && !strip->finest_cost);
}

/* Free the tiles that the kept levels do not need. */
static void drop_tiles(struct lod_store *store, struct lod_strip *strip)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < strip->tile_count; i++) {
		if (is_needed(strip, &strip->tiles[i]))
			strip->tiles[count++] = strip->tiles[i];
		else
			free_tile(&strip->tiles[i]);
	}
	strip->tile_count = count;
	store->cost -= strip->cost;
	sum_costs(strip);
	store->cost += strip->cost;
}

/* The coarsest levels are kept for as long as there is anything else to leave out. */
static struct lod_strip *largest_strip(const struct lod_store *store, bool with_coarsest)
{
	struct lod_strip *largest = NULL;

	for (size_t i = 0; i < store->strip_count; i++) {
		struct lod_strip *strip = &store->strips[i];

		if (!strip->kept || (!with_coarsest && !strip->coarser))
			continue;
		if (!largest || strip->finest_cost > largest->finest_cost)
			largest = strip;
	}
	return largest && largest->finest_cost > 0 ? largest : NULL;
}

static void keep_budget(struct lod_store *store)
{
	while (store->cost > store->budget) {
		struct lod_strip *strip = largest_strip(store, false);

		if (!strip)
			strip = largest_strip(store, true);
		if (!strip)
			return;
		strip->kept = strip->coarser;
		drop_tiles(store, strip);
	}
}

static void add_tile(struct lod_store *store, unsigned int level, enum lod_kind part)
{
	struct lod_strip *strip = &store->strips[store->strip_count - 1];
	struct lod_pending *pending = &store->writer->pending[level][part];
	size_t capacity = strip->tile_capacity;
	uint64_t cost;

	strip->tiles = xgrow(strip->tiles, &capacity, (size_t)strip->tile_count + 1,
			     sizeof(*strip->tiles));
	strip->tile_capacity = (uint32_t)capacity;
	strip->tiles[strip->tile_count] = lod_tile_make(pending, level, part);
	cost = lod_tile_cost(&strip->tiles[strip->tile_count++]);
	strip->cost += cost;
	store->cost += cost;
	if (store->cost > store->budget) {
		sum_costs(strip);
		keep_budget(store);
	}
}

static void store_put_item(void *context, unsigned int level, enum lod_kind part,
			   const struct lod_item *item)
{
	struct lod_store *store = context;
	struct lod_strip *strip = &store->strips[store->strip_count - 1];
	struct lod_pending *pending = &store->writer->pending[level][part];
	const struct lod_tile tile = {.level = (uint8_t)level, .part = (uint8_t)part};

	store->writer->counts[level][part]++;
	if (!is_needed(strip, &tile))
		return;
	if (!pending->items)
		pending->items = xreallocarray(NULL, LOD_TILE_ITEMS, sizeof(*pending->items));
	pending->items[pending->count++] = *item;
	if (pending->count == LOD_TILE_ITEMS)
		add_tile(store, level, part);
}

void lod_store_begin(struct lod_store *store, uint32_t process, uint32_t thread,
		     enum lod_strip_kind kind)
{
	store->strips = xgrow(store->strips, &store->strip_capacity, store->strip_count + 1,
			      sizeof(*store->strips));
	store->strips[store->strip_count++] = (struct lod_strip){
		.process = process,
		.thread = thread,
		.kind = kind,
		.kept = (UINT32_C(1) << store->levels) - 1,
	};
	memset(store->writer->counts, 0, sizeof(store->writer->counts));
	lod_join_begin(store->writer->join, store->levels);
}

void lod_store_slice(struct lod_store *store, uint64_t start_ns, uint64_t end_ns, uint32_t depth,
		     uint32_t region)
{
	struct lod_strip *strip = &store->strips[store->strip_count - 1];

	if (depth >= LOD_DEPTH_MAX) {
		store->too_deep_count++;
		return;
	}
	/* Slices of one depth do not overlap. */
	while (strip->depth <= depth)
		store->writer->last_ns[strip->depth++] = 0;
	if (start_ns < store->writer->last_ns[depth])
		start_ns = store->writer->last_ns[depth];
	if (end_ns < start_ns)
		end_ns = start_ns;
	store->writer->last_ns[depth] = end_ns;
	strip->slice_count++;
	lod_join_slice(store->writer->join, start_ns, end_ns, depth, region);
}

/* How many items a level shows. */
static uint64_t shown_at(const struct lod_store *store, unsigned int level)
{
	uint64_t count = level ? store->writer->counts[level][LOD_JOINED] : 0;

	for (unsigned int i = level; i < LOD_LEVELS; i++)
		count += store->writer->counts[i][LOD_EXACT];
	return count;
}

/* Drop levels that show hardly less than the one before. */
static void thin_levels(struct lod_store *store, struct lod_strip *strip)
{
	unsigned int last = lod_strip_finest(strip);

	for (unsigned int i = last + 1; i < store->levels; i++) {
		uint64_t before = shown_at(store, last);

		if (before <= FEW_ITEMS || shown_at(store, i) > before / 2)
			strip->kept &= ~(UINT32_C(1) << i);
		else
			last = i;
	}
}

void lod_store_end(struct lod_store *store)
{
	struct lod_strip *strip = &store->strips[store->strip_count - 1];

	lod_join_finish(store->writer->join);
	thin_levels(store, strip);
	for (unsigned int level = 0; level < LOD_LEVELS; level++) {
		for (enum lod_kind part = 0; part < LOD_PARTS; part++) {
			struct lod_pending *pending = &store->writer->pending[level][part];
			const struct lod_tile tile = {.level = (uint8_t)level,
						      .part = (uint8_t)part};

			if (pending->count && is_needed(strip, &tile))
				add_tile(store, level, part);
			pending->count = 0;
		}
	}
	drop_tiles(store, strip);
	keep_budget(store);
	if (!strip->slice_count)
		store->strip_count--;
}

void lod_store_init(struct lod_store *store, uint64_t budget, uint64_t span_ns)
{
	*store = (struct lod_store){.budget = budget, .levels = 1};
	while (store->levels < LOD_LEVELS &&
	       lod_resolution(store->levels) <= span_ns / OVERVIEW_STEPS)
		store->levels++;
	store->writer = xcalloc(1, sizeof(*store->writer));
	store->writer->join = lod_join_new(store_put_item, store);
}

static void release_writer(struct lod_writer *writer)
{
	if (!writer)
		return;
	for (unsigned int level = 0; level < LOD_LEVELS; level++) {
		for (enum lod_kind part = 0; part < LOD_PARTS; part++)
			xfree(writer->pending[level][part].items);
	}
	lod_join_free(writer->join);
	xfree(writer);
}

void lod_store_release(struct lod_store *store)
{
	for (size_t i = 0; i < store->strip_count; i++) {
		for (uint32_t k = 0; k < store->strips[i].tile_count; k++)
			free_tile(&store->strips[i].tiles[k]);
		xfree(store->strips[i].tiles);
	}
	xfree(store->strips);
	release_writer(store->writer);
	*store = (struct lod_store){0};
}
