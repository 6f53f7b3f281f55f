/* Regions by content. */
#include "merge/merge_regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "merge/inputs/merge_compare.h"

/* An address means nothing outside of its process. */
static const char *lasting_arguments(const struct region *region)
{
	bool is_address = region->flags & KYMO_REGION_OBJECT && region->arguments &&
			  strncmp(region->arguments, "(0x", 3) == 0;

	return is_address ? NULL : region->arguments;
}

struct merge_region merge_region_of(const struct region *region)
{
	return (struct merge_region){
		.kind = region->kind,
		.flags = region->flags & ~REGION_IS_LINE,
		.line = region->line,
		.argument_count = region->argument_count,
		.local_count = region->local_count,
		.stack_size = region->stack_size,
		.texts = {region->name, region->qualname, region->module, region->file,
			  lasting_arguments(region)},
	};
}

struct merge_region merge_region_of_thread(const struct thread *thread)
{
	return (struct merge_region){
		.kind = MERGE_REGION_THREAD,
		.flags = thread->flags & (KYMO_THREAD_FIBER | KYMO_THREAD_IDLE),
		.texts = {thread->name},
	};
}

int merge_region_compare(const struct merge_region *a, const struct merge_region *b)
{
	int order = merge_compare_numbers(a->kind, b->kind);

	for (size_t i = 0; order == 0 && i < MERGE_REGION_TEXTS; i++) {
		order = merge_compare_texts(a->texts[i], b->texts[i]);
		if (order == 0 && i == 3) /* the file: its lines come before arguments */
			order = merge_compare_numbers(a->line, b->line);
	}
	if (order == 0)
		order = merge_compare_numbers(a->flags, b->flags);
	if (order == 0)
		order = merge_compare_numbers(a->argument_count, b->argument_count);
	if (order == 0)
		order = merge_compare_numbers(a->local_count, b->local_count);
	return order ? order : merge_compare_numbers(a->stack_size, b->stack_size);
}

static uint64_t merge_region_hash(const struct merge_region *region)
{
	uint64_t hash = hash_word(HASH_SEED ^ region->kind ^ (uint64_t)region->line << 32);

	for (size_t i = 0; i < MERGE_REGION_TEXTS; i++) {
		const char *text = region->texts[i];

		hash = hash_word((text ? hash_bytes(hash, text, strlen(text)) : hash) + i);
	}
	return hash;
}

struct key {
	const struct merge_regions *regions;
	const struct merge_region *region;
};

static bool regions_is_same(uint64_t value, const void *context)
{
	const struct key *key = context;

	return merge_region_compare(&key->regions->items[value - 1], key->region) == 0;
}

static bool region_keep(struct merge_regions *regions, const struct merge_region *region)
{
	struct merge_region *items =
		array_grow(regions->items, &regions->capacity, regions->count + 1, sizeof(*items));
	struct merge_region *to;

	if (!items)
		return false;
	regions->items = items;
	to = &items[regions->count];
	*to = *region;
	for (size_t i = 0; i < MERGE_REGION_TEXTS; i++) {
		if (!region->texts[i])
			continue;
		to->texts[i] = merge_text(&regions->texts, region->texts[i]);
		if (!to->texts[i])
			return false;
	}
	return true;
}

uint32_t merge_regions_add(struct merge_regions *regions, const struct merge_region *region)
{
	const struct key key = {regions, region};
	uint64_t hash = merge_region_hash(region);
	uint64_t value = hashset_find(&regions->by_content, hash, regions_is_same, &key);

	if (value)
		return (uint32_t)(value - 1);
	/* One bit of a number marks folded nodes. */
	if (regions->count >= UINT32_MAX / 2 || !region_keep(regions, region) ||
	    !hashset_insert(&regions->by_content, hash, regions->count + 1))
		return MERGE_NO_REGION;
	return (uint32_t)regions->count++;
}

static int regions_compare_items(const void *left, const void *right, void *context)
{
	const struct merge_region *items = context;

	return merge_region_compare(&items[*(const uint32_t *)left],
				    &items[*(const uint32_t *)right]);
}

bool merge_regions_sort(const struct merge_regions *regions, uint32_t **order_out,
			uint32_t **rank_out)
{
	uint32_t *order = malloc((regions->count + 1) * sizeof(*order));
	uint32_t *rank = malloc((regions->count + 1) * sizeof(*rank));

	if (!order || !rank) {
		free(order);
		free(rank);
		return false;
	}
	for (uint32_t i = 0; i < regions->count; i++)
		order[i] = i;
	if (regions->count > 1)
		qsort_r(order, regions->count, sizeof(*order), regions_compare_items,
			regions->items);
	for (uint32_t i = 0; i < regions->count; i++)
		rank[order[i]] = i;
	*order_out = order;
	*rank_out = rank;
	return true;
}

uint64_t merge_regions_bytes(const struct merge_regions *regions)
{
	return regions->texts.bytes + regions->capacity * sizeof(*regions->items) +
	       2 * regions->by_content.capacity * sizeof(struct hashset_slot);
}

void merge_regions_release(struct merge_regions *regions)
{
	merge_texts_release(&regions->texts);
	hashset_release(&regions->by_content);
	free(regions->items);
	*regions = (struct merge_regions){0};
}
