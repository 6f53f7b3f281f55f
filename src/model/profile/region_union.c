/* Common numbers for the regions of several recordings, and their names in reports.
 *
 * Two regions are the same if all their recorded properties are equal. */
#include "model/profile/region_union.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basename.h"
#include "base/hashset.h"
#include "base/text/utf8.h"
#include "model/profile/time_base.h"
#include "model/recording/label.h"

#define NAME_MAX_BYTES 1024

static bool union_is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool union_is_same_region(const struct region *a, const struct region *b)
{
	return a->kind == b->kind && a->flags == b->flags && a->line == b->line &&
	       union_is_same_text(a->name, b->name) &&
	       union_is_same_text(a->qualname, b->qualname) &&
	       union_is_same_text(a->module, b->module) && union_is_same_text(a->file, b->file) &&
	       union_is_same_text(a->arguments, b->arguments);
}

static uint64_t union_hash_text(uint64_t hash, const char *text)
{
	return text ? hash_bytes(hash, text, strlen(text) + 1) : hash;
}

static uint64_t hash_region(const struct region *region)
{
	uint64_t hash = union_hash_text(HASH_SEED, region->name);

	hash = union_hash_text(hash, region->file);
	hash = union_hash_text(hash, region->module);
	hash = union_hash_text(hash, region->arguments);
	return hash_bytes(hash, &region->line, sizeof(region->line));
}

struct region_key {
	const struct region_union *all;
	const struct region *region;
};

/* Values of the set are numbers + 1. */
static bool union_is_key(uint64_t value, const void *key)
{
	const struct region_key *wanted = key;

	return union_is_same_region(wanted->all->regions[value - 1], wanted->region);
}

/* Number of region, added if it is new. */
static bool union_number_of(struct region_union *all, struct hashset *known,
			    const struct region *region, uint32_t *number_out)
{
	struct region_key key = {all, region};
	uint64_t hash = hash_region(region);
	uint64_t value = hashset_find(known, hash, union_is_key, &key);

	if (value == 0) {
		value = all->count + 1;
		if (!hashset_insert(known, hash, value))
			return false;
		all->copies[all->count] = *region;
		all->regions[all->count] = &all->copies[all->count];
		all->count++;
	}
	*number_out = (uint32_t)(value - 1);
	return true;
}

static bool union_add_tree(struct region_union *all, struct hashset *known, size_t tree,
			   const struct recording *recording)
{
	all->numbers[tree] = calloc(recording->region_count + 1, sizeof(**all->numbers));
	if (!all->numbers[tree])
		return false;
	all->region_counts[tree] = recording->region_count;
	for (uint32_t i = 0; i < recording->region_count; i++) {
		if (!union_number_of(all, known, &recording->regions[i], &all->numbers[tree][i]))
			return false;
	}
	return true;
}

/* See profile/time_base.h. */
static uint32_t union_add_rest(struct region_union *all, const char *name)
{
	all->copies[all->count] = (struct region){.kind = KYMO_REGION_ROOT, .name = name};
	all->regions[all->count] = &all->copies[all->count];
	return all->count++;
}

enum kymo_status region_union_new(const struct calltree *const *trees, size_t tree_count,
				  struct region_union **out)
{
	struct region_union *all = calloc(1, sizeof(*all));
	struct hashset known = {0};
	size_t total = 0;
	bool is_complete;

	for (size_t i = 0; i < tree_count; i++)
		total += trees[i]->recording->region_count;
	if (!all)
		return KYMO_MEMORY;
	all->tree_count = tree_count;
	all->numbers = calloc(tree_count + 1, sizeof(*all->numbers));
	all->region_counts = calloc(tree_count + 1, sizeof(*all->region_counts));
	all->regions = calloc(total + 2, sizeof(*all->regions));
	all->copies = calloc(total + 2, sizeof(*all->copies));
	is_complete = all->numbers && all->region_counts && all->regions && all->copies;
	for (size_t i = 0; is_complete && i < tree_count; i++)
		is_complete = union_add_tree(all, &known, i, trees[i]->recording);
	hashset_release(&known);
	if (is_complete) {
		all->outside = union_add_rest(all, TIME_OUTSIDE_NAME);
		all->measuring = union_add_rest(all, TIME_MEASURING_NAME);
	}
	if (!is_complete) {
		region_union_free(all);
		return KYMO_MEMORY;
	}
	*out = all;
	return KYMO_OK;
}

void region_union_free(struct region_union *all)
{
	if (!all)
		return;
	for (size_t i = 0; all->numbers && i < all->tree_count; i++)
		free(all->numbers[i]);
	free(all->numbers);
	free(all->region_counts);
	free(all->regions);
	free(all->copies);
	free(all);
}

size_t region_name(const struct region *region, char *text, size_t size)
{
	char raw[NAME_MAX_BYTES];
	const char *name = region->qualname ? region->qualname : region->name;
	bool has_module =
		region->kind == KYMO_REGION_PYTHON_C || region->kind == KYMO_REGION_PYTHON_METHOD;

	snprintf(raw, sizeof(raw), "%s%s%s%s", has_module && region->module ? region->module : "",
		 has_module && region->module ? "." : "", name,
		 region->arguments ? region->arguments : "");
	return utf8_clean(raw, text, size);
}

size_t region_location(const struct region *region, char *text, size_t size)
{
	char raw[NAME_MAX_BYTES] = "";

	if (region->file) {
		snprintf(raw, sizeof(raw), region->line ? "%s:%u" : "%s",
			 path_base_name(region->file), region->line);
	} else if (region->kind == KYMO_REGION_PYTHON_C ||
		   region->kind == KYMO_REGION_PYTHON_METHOD) {
		snprintf(raw, sizeof(raw), "built-in");
	} else if (region->module) {
		snprintf(raw, sizeof(raw), "%s", path_base_name(region->module));
	}
	return utf8_clean(raw, text, size);
}

size_t region_text(const struct region *region, char *text, size_t size)
{
	char raw[NAME_MAX_BYTES];

	region_label(region, raw, sizeof(raw));
	return utf8_clean(raw, text, size);
}
