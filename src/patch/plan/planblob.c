/* The machine code of a plan while it grows. */
#include "patch/plan/planblob.h"

#include <stdlib.h>

#include "base/array.h"

#define PADDING 0xcc /* int3: nothing comes here */

void planblob_init(struct plan_blob *blob, struct plan_kind kind)
{
	memset(blob, 0, sizeof(*blob));
	blob->cost = kind.cost;
	blob->is_serialized = kind.variant & PLAN_VARIANT_SERIALIZED;
}

void planblob_release(struct plan_blob *blob)
{
	free(blob->hot.bytes);
	free(blob->cold.bytes);
	free(blob->links);
	free(blob->marks);
	free(blob->cold_marks);
	free(blob->extents);
	memset(blob, 0, sizeof(*blob));
}

void planblob_back(struct plan_blob *blob, const struct plan_state *state)
{
	blob->hot.size = state->hot;
	blob->cold.size = state->cold;
	blob->link_count = state->links;
	blob->mark_count = state->marks;
	blob->cold_mark_count = state->cold_marks;
}

/* Room for one item more; NULL and is_failed when there is none. */
static void *plan_planblob_room(struct plan_blob *blob, void **items, size_t count,
				size_t *capacity, size_t size)
{
	void *grown;

	if (count < *capacity)
		return (char *)*items + count * size;
	grown = array_grow(*items, capacity, count + 1, size);
	if (!grown) {
		blob->is_failed = true;
		return NULL;
	}
	*items = grown;
	return (char *)grown + count * size;
}

bool planblob_room(struct plan_blob *blob, bool is_cold, size_t size)
{
	struct plan_stretch *stretch = is_cold ? &blob->cold : &blob->hot;
	uint8_t *grown = array_grow(stretch->bytes, &stretch->capacity, stretch->size + size, 1);

	if (!grown) {
		blob->is_failed = true;
		return false;
	}
	stretch->bytes = grown;
	return true;
}

static void planblob_add_link(struct plan_blob *blob, bool is_cold, enum plan_to to,
			      uint64_t target, uint8_t behind, enum plan_form form)
{
	struct plan_link *link = plan_planblob_room(blob, (void **)&blob->links, blob->link_count,
						    &blob->link_capacity, sizeof(*link));

	if (!link)
		return;
	*link = (struct plan_link){.target = target,
				   .at = (uint32_t)(is_cold ? blob->cold.size : blob->hot.size),
				   .behind = behind,
				   .to = (uint8_t)to,
				   .form = (uint8_t)form,
				   .is_cold = is_cold};
	blob->link_count++;
}

void planblob_link(struct plan_blob *blob, bool is_cold, enum plan_to to, uint64_t target,
		   uint8_t behind)
{
	static const uint8_t none[4];

	planblob_add_link(blob, is_cold, to, target, behind, PLAN_FORM_DISTANCE);
	planblob_bytes(blob, is_cold, none, sizeof(none));
}

void planblob_link_form(struct plan_blob *blob, bool is_cold, enum plan_to to, uint64_t target,
			enum plan_form form, uint32_t word)
{
	planblob_add_link(blob, is_cold, to, target, 0, form);
	planblob_bytes(blob, is_cold, &word, sizeof(word));
}

static void planblob_add_mark(struct plan_blob *blob, bool is_cold, struct plan_mark added)
{
	struct plan_mark *mark =
		is_cold ? plan_planblob_room(blob, (void **)&blob->cold_marks,
					     blob->cold_mark_count, &blob->cold_mark_capacity,
					     sizeof(*mark))
			: plan_planblob_room(blob, (void **)&blob->marks, blob->mark_count,
					     &blob->mark_capacity, sizeof(*mark));

	if (!mark)
		return;
	added.at = (uint32_t)(is_cold ? blob->cold.size : blob->hot.size);
	*mark = added;
	*(is_cold ? &blob->cold_mark_count : &blob->mark_count) += 1;
}

void planblob_mark(struct plan_blob *blob, bool is_cold, enum plan_rule rule, uint64_t address)
{
	planblob_add_mark(blob, is_cold,
			  (struct plan_mark){.address = address, .rule = (uint8_t)rule});
}

void planblob_mark_stepped(struct plan_blob *blob, bool is_cold, uint64_t address, unsigned stepped)
{
	planblob_add_mark(blob, is_cold,
			  (struct plan_mark){.address = address,
					     .rule = PLAN_RULE_FILE,
					     .stepped = (uint8_t)stepped});
}

void planblob_align(struct plan_blob *blob, bool is_cold, unsigned remainder)
{
	static const uint8_t padding[16] = {PADDING, PADDING, PADDING, PADDING, PADDING, PADDING,
					    PADDING, PADDING, PADDING, PADDING, PADDING, PADDING,
					    PADDING, PADDING, PADDING, PADDING};
	size_t size = is_cold ? blob->cold.size : blob->hot.size;

	planblob_bytes(blob, is_cold, padding, (remainder - size) % 16);
}

void planblob_extent(struct plan_blob *blob, size_t start, size_t first_mark, uint32_t function)
{
	struct plan_extent *extent =
		plan_planblob_room(blob, (void **)&blob->extents, blob->extent_count,
				   &blob->extent_capacity, sizeof(*extent));

	if (!extent)
		return;
	*extent = (struct plan_extent){(uint32_t)start, (uint32_t)blob->hot.size,
				       (uint32_t)first_mark,
				       (uint32_t)(blob->mark_count - first_mark), function};
	blob->extent_count++;
}

void planblob_begin(struct plan_blob *blob, struct plan_state *out)
{
	*out = (struct plan_state){.hot = blob->hot.size,
				   .cold = blob->cold.size,
				   .links = blob->link_count,
				   .marks = blob->mark_count,
				   .cold_marks = blob->cold_mark_count};
	planblob_align(blob, false, 0);
	out->start = blob->hot.size;
}

void planblob_end(struct plan_blob *blob, const struct plan_state *state, uint32_t function)
{
	planblob_extent(blob, state->start, state->marks, function);
}

/* Room for count items more; NULL: none are wanted, or, with is_failed, there is none. */
static void *room_for(struct plan_blob *blob, void **items, size_t have, size_t *capacity,
		      size_t count, size_t size)
{
	void *grown;

	if (count == 0)
		return NULL; /* no items at all may be NULL, too */
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
		room_for(blob, (void **)marks, *count, capacity, other_count, sizeof(*to));

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
	struct plan_link *to = room_for(blob, (void **)&blob->links, blob->link_count,
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
	struct plan_extent *to = room_for(blob, (void **)&blob->extents, blob->extent_count,
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

size_t planblob_append(struct plan_blob *blob, const struct plan_blob *other)
{
	size_t marks = blob->mark_count, hot, cold;

	planblob_align(blob, false, 0);
	planblob_align(blob, true, 0);
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

static uint64_t planblob_address_of(const struct plan_link *link, const struct plan_places *places)
{
	switch ((enum plan_to)link->to) {
	case PLAN_TO_HOT:
		return places->hot + link->target;
	case PLAN_TO_COLD:
		return places->cold + link->target;
	case PLAN_TO_VECTOR:
		return places->vector + link->target;
	case PLAN_TO_SWITCH:
		return places->gate + link->target;
	case PLAN_TO_FILE:
		break;
	}
	return link->target;
}

static bool set_distance(const struct plan_link *link, uint8_t *place, uint64_t address,
			 uint64_t target)
{
	int64_t distance = (int64_t)(target - (address + link->behind));

	if (distance != (int32_t)distance)
		return false;
	memcpy(place, &(int32_t){(int32_t)distance}, 4);
	return true;
}

size_t planblob_resolve(struct plan_blob *blob, const struct plan_places *places,
			planblob_set_fn set, uint32_t *fixups_out)
{
	size_t count = 0;

	/* First those of the hot stretch: fixups come out in order. */
	for (unsigned cold = 0; cold < 2; cold++)
		for (size_t i = 0; i < blob->link_count; i++) {
			const struct plan_link *link = &blob->links[i];
			planblob_set_fn fill =
				link->form == PLAN_FORM_DISTANCE ? set_distance : set;
			uint64_t base = cold ? places->cold : places->hot;
			uint8_t *bytes = cold ? blob->cold.bytes : blob->hot.bytes;

			if (link->is_cold != (cold != 0))
				continue;
			if (!fill || !fill(link, bytes + link->at, base + link->at,
					   planblob_address_of(link, places)))
				return SIZE_MAX;
			/* A place within a page is the same wherever whole pages are moved to. */
			if (link->to == PLAN_TO_FILE && link->form != PLAN_FORM_LOW)
				fixups_out[count++] = (uint32_t)(base - places->hot) + link->at;
		}
	return count;
}
