/* Makes tiles: items by depth, each depth in the order of time, as differences. */
#include "view/timeline/lod_tiles.h"

#include <stdlib.h>
#include <string.h>

#include "command/xalloc.h"
#include "view/page_out.h"
#include "view/page_pack.h"

#define INDEX_BYTES   32u /* of a tile in the index */
#define ELEMENT_BYTES 96u /* of an element of the page around a blob */

static int tiles_compare_items(const void *left, const void *right)
{
	const struct lod_item *a = left, *b = right;

	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

static uint32_t depth_end(const struct lod_pending *pending, uint32_t first)
{
	uint32_t end = first;

	while (end < pending->count && pending->items[end].depth == pending->items[first].depth)
		end++;
	return end;
}

static void tiles_put_item(struct textbuf *bytes, const struct lod_item *item, uint64_t since,
			   enum lod_kind part)
{
	page_varint(bytes, item->start_ns - since);
	page_varint(bytes, item->end_ns - item->start_ns);
	page_varint(bytes, item->region);
	if (part == LOD_EXACT)
		return;
	page_varint(bytes, item->count);
	if (item->count > 1)
		page_varint(bytes, item->end_ns - item->start_ns - item->busy_ns);
}

static void tiles_put_items(struct textbuf *bytes, const struct lod_pending *pending,
			    uint64_t start_ns, enum lod_kind part)
{
	uint32_t depths = 0;

	for (uint32_t i = 0; i < pending->count; i = depth_end(pending, i))
		depths++;
	page_varint(bytes, depths);
	for (uint32_t i = 0, end; i < pending->count; i = end) {
		uint64_t since = start_ns;

		end = depth_end(pending, i);
		page_varint(bytes, pending->items[i].depth);
		page_varint(bytes, end - i);
		for (uint32_t k = i; k < end; k++) {
			tiles_put_item(bytes, &pending->items[k], since, part);
			since = pending->items[k].end_ns;
		}
	}
}

static void take_bytes(struct textbuf *bytes, struct lod_tile *out)
{
	size_t size;

	xneed(!bytes->has_failed);
	if (bytes->length >= LOD_TILE_PACKED &&
	    page_pack(bytes->data, bytes->length, &out->bytes, &size)) {
		out->is_packed = true;
		out->size = (uint32_t)size;
		return;
	}
	out->bytes = xmalloc(bytes->length);
	memcpy(out->bytes, bytes->data, bytes->length);
	out->size = (uint32_t)bytes->length;
}

struct lod_tile lod_tile_make(struct lod_pending *pending, unsigned int level, enum lod_kind part)
{
	struct lod_tile tile = {
		.start_ns = UINT64_MAX,
		.count = pending->count,
		.level = (uint8_t)level,
		.part = (uint8_t)part,
	};
	struct textbuf bytes = {0};

	for (uint32_t i = 0; i < pending->count; i++) {
		const struct lod_item *item = &pending->items[i];

		tile.start_ns = item->start_ns < tile.start_ns ? item->start_ns : tile.start_ns;
		tile.end_ns = item->end_ns > tile.end_ns ? item->end_ns : tile.end_ns;
	}
	qsort(pending->items, pending->count, sizeof(*pending->items), tiles_compare_items);
	tiles_put_items(&bytes, pending, tile.start_ns, part);
	take_bytes(&bytes, &tile);
	textbuf_release(&bytes);
	pending->count = 0;
	return tile;
}

uint64_t lod_tile_cost(const struct lod_tile *tile)
{
	uint64_t cost = ((uint64_t)tile->size + 2) / 3 * 4 + INDEX_BYTES;

	return tile->size >= LOD_TILE_PACKED || tile->is_packed ? cost + ELEMENT_BYTES : cost;
}
