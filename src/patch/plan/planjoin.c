/* Each half has its own copy of the shared code, and so refers to nothing outside: its code is
 * appended to the other's, and the offsets in it are adjusted. */
#include "patch/plan/planjoin.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Reserve count more items; NULL: count is 0, or, with is_failed, out of memory. */
static void *planjoin_reserve(struct plan_blob *blob, void **items, size_t have, size_t *capacity,
			      size_t count, size_t size)
{
	void *grown;

	if (count == 0)
		return NULL; /* an empty array may be NULL, too */
	grown = array_grow(*items, capacity, have + count, size);
	if (!grown) {
		blob->is_failed = true;
		return NULL;
	}
	*items = grown;
	return (char *)grown + have * size;
}

static void append_marks(struct plan_blob *blob, struct plan_mark **marks, size_t *count,
			 size_t *capacity, const struct plan_mark *other, size_t other_count,
			 size_t moved)
{
	struct plan_mark *to =
		planjoin_reserve(blob, (void **)marks, *count, capacity, other_count, sizeof(*to));

	if (!to)
		return;
	for (size_t i = 0; i < other_count; i++) {
		to[i] = other[i];
		to[i].at += (uint32_t)moved;
	}
	*count += other_count;
}

static void append_links(struct plan_blob *blob, const struct plan_blob *other, size_t hot,
			 size_t cold)
{
	struct plan_link *to =
		planjoin_reserve(blob, (void **)&blob->links, blob->link_count,
				 &blob->link_capacity, other->link_count, sizeof(*to));

	if (!to)
		return;
	for (size_t i = 0; i < other->link_count; i++) {
		to[i] = other->links[i];
		to[i].at += (uint32_t)(to[i].is_cold ? cold : hot);
		if (to[i].to == PLAN_TO_HOT)
			to[i].target += hot;
		else if (to[i].to == PLAN_TO_COLD)
			to[i].target += cold;
	}
	blob->link_count += other->link_count;
}

static void append_extents(struct plan_blob *blob, const struct plan_blob *other, size_t hot,
			   size_t first_mark)
{
	struct plan_extent *to =
		planjoin_reserve(blob, (void **)&blob->extents, blob->extent_count,
				 &blob->extent_capacity, other->extent_count, sizeof(*to));

	if (!to)
		return;
	for (size_t i = 0; i < other->extent_count; i++) {
		to[i] = other->extents[i];
		to[i].start += (uint32_t)hot;
		to[i].end += (uint32_t)hot;
		to[i].first_mark += (uint32_t)first_mark;
	}
	blob->extent_count += other->extent_count;
}

size_t planjoin_blobs(struct plan_blob *blob, const struct plan_blob *other)
{
	size_t marks = blob->mark_count, hot, cold;

	/* Preserves alignment to cache lines. */
	planblob_align(blob, false, PLAN_LINE);
	planblob_align(blob, true, PLAN_ALIGN);
	hot = blob->hot.size;
	cold = blob->cold.size;
	blob->is_failed |= other->is_failed;
	if (other->hot.size > 0)
		planblob_bytes(blob, false, other->hot.bytes, other->hot.size);
	if (other->cold.size > 0)
		planblob_bytes(blob, true, other->cold.bytes, other->cold.size);
	append_links(blob, other, hot, cold);
	append_extents(blob, other, hot, marks);
	append_marks(blob, &blob->marks, &blob->mark_count, &blob->mark_capacity, other->marks,
		     other->mark_count, hot);
	append_marks(blob, &blob->cold_marks, &blob->cold_mark_count, &blob->cold_mark_capacity,
		     other->cold_marks, other->cold_mark_count, cold);
	return hot;
}

bool planjoin(struct plan_emission *emission, struct plan_blob *const blobs[PLAN_HALVES])
{
	const struct plan_half *first = &emission->halves[0], *second = &emission->halves[1];
	size_t count = first->jump_count, hot;

	emission->jumps = malloc((count + second->jump_count + 1) * sizeof(*emission->jumps));
	if (!emission->jumps)
		return false;
	hot = planjoin_blobs(blobs[0], blobs[1]);
	if (count > 0)
		memcpy(emission->jumps, first->jumps, count * sizeof(*first->jumps));
	for (size_t i = 0; i < second->jump_count; i++) {
		emission->jumps[count + i] = second->jumps[i];
		emission->jumps[count + i].hot += (uint32_t)hot;
	}
	for (uint32_t i = second->first; i < second->end; i++) {
		emission->functions[i].first_jump += (uint32_t)count;
		emission->functions[i].body += (uint32_t)hot;
	}
	return !blobs[0]->is_failed;
}
