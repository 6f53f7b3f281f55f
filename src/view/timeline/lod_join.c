/* Joins slices level by level: the joined slices of a level are the input of the next.
 *
 * The region with the most time is found by counting a few of them ("space saving" of Metwally et
 * al.): one that has more than a quarter of the time is never missed. */
#include "view/timeline/lod_join.h"

#include <string.h>

#include "command/xalloc.h"
#include "view/timeline/lod.h"

#define CANDIDATES 4u

struct candidate {
	uint64_t weight;
	uint32_t region;
};

struct group {					   /* slices being joined at one level and depth */
	uint64_t start_ns, end_ns, busy_ns, count; /* count 0 = nothing */
	struct candidate candidates[CANDIDATES];
	uint32_t candidate_count;
};

struct lod_join {
	lod_put_fn put;
	void *context;
	unsigned int levels;
	struct group *groups[LOD_LEVELS]; /* by depth; [0] is not used */
	uint32_t capacity;		  /* of each */
	uint32_t depth;			  /* of the deepest slice + 1 */
};

unsigned int lod_level_of(uint64_t length_ns)
{
	unsigned int bits, level;

	if (length_ns >> LOD_FIRST_BITS == 0)
		return 0;
	bits = 63 - (unsigned int)__builtin_clzll(length_ns);
	level = (bits - LOD_FIRST_BITS) / LOD_STEP_BITS + 1;
	return level < LOD_LEVELS ? level : LOD_LEVELS - 1;
}

struct lod_join *lod_join_new(lod_put_fn put, void *context)
{
	struct lod_join *join = xcalloc(1, sizeof(*join));

	join->put = put;
	join->context = context;
	return join;
}

void lod_join_free(struct lod_join *join)
{
	for (unsigned int i = 0; i < LOD_LEVELS; i++)
		xfree(join->groups[i]);
	xfree(join);
}

void lod_join_begin(struct lod_join *join, unsigned int levels)
{
	join->levels = levels < LOD_LEVELS ? levels : LOD_LEVELS;
	join->depth = 0;
}

static void join_reserve(struct lod_join *join, uint32_t depth)
{
	uint32_t capacity = join->capacity ? join->capacity : 16;

	while (capacity <= depth)
		capacity *= 2;
	for (unsigned int i = 1; i < LOD_LEVELS; i++) {
		struct group *grown = xreallocarray(join->groups[i], capacity, sizeof(*grown));

		memset(grown + join->capacity, 0, (capacity - join->capacity) * sizeof(*grown));
		join->groups[i] = grown;
	}
	join->capacity = capacity;
}

static void add_candidate(struct group *group, const struct candidate *added)
{
	struct candidate *least = &group->candidates[0];

	for (uint32_t i = 0; i < group->candidate_count; i++) {
		if (group->candidates[i].region == added->region) {
			group->candidates[i].weight += added->weight;
			return;
		}
		if (group->candidates[i].weight < least->weight)
			least = &group->candidates[i];
	}
	if (group->candidate_count < CANDIDATES) {
		group->candidates[group->candidate_count++] = *added;
		return;
	}
	least->weight += added->weight;
	least->region = added->region;
}

static uint32_t join_region_of(const struct group *group)
{
	const struct candidate *most = &group->candidates[0];

	for (uint32_t i = 1; i < group->candidate_count; i++) {
		if (group->candidates[i].weight > most->weight)
			most = &group->candidates[i];
	}
	return most->region;
}

static void join_flush(struct lod_join *join, unsigned int level, uint32_t depth);

static void add_group(struct lod_join *join, unsigned int level, uint32_t depth,
		      const struct group *added)
{
	struct group *group = &join->groups[level][depth];
	uint64_t resolution = lod_resolution(level);

	if (group->count && (added->start_ns - group->end_ns >= resolution ||
			     added->end_ns - group->start_ns > resolution))
		join_flush(join, level, depth);
	if (!group->count) {
		*group = *added;
		return;
	}
	group->end_ns = added->end_ns;
	group->busy_ns += added->busy_ns;
	group->count += added->count;
	for (uint32_t i = 0; i < added->candidate_count; i++)
		add_candidate(group, &added->candidates[i]);
}

static void join_flush(struct lod_join *join, unsigned int level, uint32_t depth)
{
	struct group *group = &join->groups[level][depth];
	const struct lod_item item = {
		.start_ns = group->start_ns,
		.end_ns = group->end_ns,
		.busy_ns = group->busy_ns,
		.count = group->count,
		.region = join_region_of(group),
		.depth = depth,
	};

	if (!group->count)
		return;
	join->put(join->context, level, LOD_JOINED, &item);
	if (level + 1 < join->levels)
		add_group(join, level + 1, depth, group);
	group->count = 0;
}

void lod_join_slice(struct lod_join *join, uint64_t start_ns, uint64_t end_ns, uint32_t depth,
		    uint32_t region)
{
	unsigned int level = lod_level_of(end_ns - start_ns);
	const struct lod_item item = {start_ns, end_ns, end_ns - start_ns, 1, region, depth};
	const struct group group = {
		.start_ns = start_ns,
		.end_ns = end_ns,
		.busy_ns = end_ns - start_ns,
		.count = 1,
		.candidates = {{end_ns - start_ns + 1, region}},
		.candidate_count = 1,
	};

	if (depth >= join->capacity)
		join_reserve(join, depth);
	if (join->depth <= depth)
		join->depth = depth + 1;
	join->put(join->context, level, LOD_EXACT, &item);
	/* Flush earlier groups: each level's goes on into the next. */
	for (unsigned int i = 1; i <= level && i < join->levels; i++)
		join_flush(join, i, depth);
	if (level + 1 < join->levels)
		add_group(join, level + 1, depth, &group);
}

void lod_join_finish(struct lod_join *join)
{
	for (unsigned int level = 1; level < join->levels; level++) {
		for (uint32_t depth = 0; depth < join->depth; depth++)
			join_flush(join, level, depth);
	}
	join->depth = 0;
}
