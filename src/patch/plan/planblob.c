/* The machine code of a plan while it grows. */
#include "patch/plan/planblob.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define PADDING 0xcc /* int3: never executed */

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

/* Reserve one more item; NULL and is_failed when out of memory. */
static void *planblob_reserve_item(struct plan_blob *blob, void **items, size_t count,
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

bool planblob_reserve(struct plan_blob *blob, bool is_cold, size_t size)
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
	struct plan_link *link = planblob_reserve_item(
		blob, (void **)&blob->links, blob->link_count, &blob->link_capacity, sizeof(*link));

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
		is_cold ? planblob_reserve_item(blob, (void **)&blob->cold_marks,
						blob->cold_mark_count, &blob->cold_mark_capacity,
						sizeof(*mark))
			: planblob_reserve_item(blob, (void **)&blob->marks, blob->mark_count,
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

void planblob_align(struct plan_blob *blob, bool is_cold, unsigned alignment)
{
	uint8_t padding[PLAN_LINE];
	size_t size = is_cold ? blob->cold.size : blob->hot.size;

	memset(padding, PADDING, sizeof(padding));
	planblob_bytes(blob, is_cold, padding, -size % alignment);
}

void planblob_extent(struct plan_blob *blob, size_t start, size_t first_mark, uint32_t function)
{
	struct plan_extent *extent =
		planblob_reserve_item(blob, (void **)&blob->extents, blob->extent_count,
				      &blob->extent_capacity, sizeof(*extent));

	if (!extent)
		return;
	*extent = (struct plan_extent){(uint32_t)start, (uint32_t)blob->hot.size,
				       (uint32_t)first_mark,
				       (uint32_t)(blob->mark_count - first_mark), function};
	blob->extent_count++;
}
