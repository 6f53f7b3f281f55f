/* The parts of a run and their shares of every region.
 *
 * One walk over each thread's tree adds up its regions; a visit inside of another one of the same
 * region adds nothing to its total, as in the flat profile.  Shares are found by part and stored by
 * region: they are counted by region first, then moved to their positions. */
#include "model/parts/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/parts/parts_group.h"
#include "model/parts/work.h"
#include "model/profile/outermost.h"
#include "model/profile/time_base.h"
#include "model/recording/recording_open.h"
#include "model/recording/recording_parts.h"
#include "model/recording/recording_rank.h"

struct source { /* origin of a part, for sorting */
	struct recording_part part;
	uint32_t tree;
	uint32_t index; /* number of the thread, or of the part in a merged recording */
	bool is_merged;
};

struct found { /* a share before it has its position */
	uint32_t region;
	struct part_share share;
};

struct builder {
	struct parts *parts;
	const struct loaded_run *loaded;
	const struct region_union *regions;
	struct source *sources;
	size_t source_count, source_capacity;
	struct found *found;
	size_t found_count, found_capacity;
	/* Of the current thread, by region of its recording: */
	struct part_share *sums;
	uint32_t *open;
	uint32_t *touched;
	size_t touched_count;
	/* By node of its tree: */
	double *work_ns, *inclusive_work_ns;
	/* Sources by tree; per tree, plus one, where they begin. */
	uint32_t *by_tree;
	size_t *first_of_tree;
};

static bool parts_add_source(struct builder *builder, const struct source *source)
{
	struct source *grown = array_grow(builder->sources, &builder->source_capacity,
					  builder->source_count + 1, sizeof(*grown));

	if (!grown)
		return false;
	builder->sources = grown;
	grown[builder->source_count++] = *source;
	return true;
}

/* The folder of a recording; several runs may have been loaded as one. */
static const char *run_of(struct builder *builder, const struct recording *recording)
{
	const char *slash = recording->path ? strrchr(recording->path, '/') : NULL;
	struct parts *parts = builder->parts;

	if (!slash)
		return builder->loaded->run->path;
	if (!lines_add(&parts->folders, &parts->folder_count, "%.*s",
		       (int)(slash - recording->path), recording->path))
		return NULL;
	return parts->folders[parts->folder_count - 1];
}

static bool parts_add_threads(struct builder *builder, size_t index)
{
	const struct calltree *tree = builder->loaded->trees[index];
	const struct recording *recording = tree->recording;
	struct source source = {
		.part =
			{
				.run = run_of(builder, recording),
				.program = recording_program(recording),
				.host = recording_note(recording, KYMO_NOTE_INFO, "hostname"),
				.pid = recording->header.pid,
				.rank = recording_rank(recording),
				.start_realtime_ns = recording->header.start_realtime_ns,
			},
		.tree = (uint32_t)index,
	};

	if (!source.part.run)
		return false;
	memcpy(source.part.run_id, recording->header.run_id, sizeof(source.part.run_id));
	for (uint32_t i = 0; i < recording->thread_count; i++) {
		if (!recording->threads[i].is_present && tree->thread_root[i] == CALLTREE_NONE)
			continue;
		source.index = i;
		source.part.thread = i;
		source.part.thread_name = recording->threads[i].name;
		source.part.duration_ns = recording_thread_ns(recording, i);
		source.part.cpu_ns = recording->threads[i].cpu_ns;
		if (!parts_add_source(builder, &source))
			return false;
	}
	return true;
}

static bool parts_is_merged(const struct calltree *tree)
{
	return tree->recording->part_count > 0;
}

static bool parts_add_merged(struct builder *builder, size_t index)
{
	const struct recording *recording = builder->loaded->trees[index]->recording;

	for (uint32_t i = 0; i < recording->part_count; i++) {
		struct source source = {recording->parts[i], (uint32_t)index, i, true};

		if (!parts_add_source(builder, &source))
			return false;
	}
	return true;
}

static bool add_parts_of(struct builder *builder, size_t index)
{
	return parts_is_merged(builder->loaded->trees[index]) ? parts_add_merged(builder, index)
							      : parts_add_threads(builder, index);
}

static int compare_sources(const void *left, const void *right)
{
	const struct source *a = left, *b = right;
	int difference = parts_compare(&a->part, &b->part);

	if (difference != 0)
		return difference;
	return a->tree != b->tree ? (a->tree < b->tree ? -1 : 1)
				  : (a->index > b->index) - (a->index < b->index);
}

static bool list_parts(struct builder *builder)
{
	struct parts *parts = builder->parts;

	for (size_t i = 0; i < builder->loaded->tree_count; i++)
		if (!add_parts_of(builder, i))
			return false;
	if (builder->source_count > 0)
		qsort(builder->sources, builder->source_count, sizeof(*builder->sources),
		      compare_sources);
	parts->count = builder->source_count;
	parts->parts = calloc(parts->count + 1, sizeof(*parts->parts));
	for (size_t i = 0; parts->parts && i < parts->count; i++)
		parts->parts[i] = builder->sources[i].part;
	return parts->parts != NULL;
}

static void parts_add_visits(struct builder *builder, const struct outermost *walk)
{
	struct part_share *sum = &builder->sums[walk->key];

	/* part: whether it is in the list of touched regions. */
	if (sum->part == 0) {
		sum->part = 1;
		builder->touched[builder->touched_count++] = walk->key;
	}
	sum->count += walk->node->count;
	sum->self_ns += walk->node->self_ns;
	sum->work_ns += builder->work_ns[walk->index];
	if (!walk->is_outermost)
		return;
	sum->total_ns += walk->node->sum_ns;
	sum->work_total_ns += builder->inclusive_work_ns[walk->index];
}

static bool add_found(struct builder *builder, uint32_t region, const struct part_share *share)
{
	struct found *grown;

	if (share->count == 0 && share->self_ns <= 0 && share->total_ns <= 0)
		return true;
	grown = array_grow(builder->found, &builder->found_capacity, builder->found_count + 1,
			   sizeof(*grown));
	if (!grown)
		return false;
	builder->found = grown;
	grown[builder->found_count++] = (struct found){region, *share};
	return true;
}

static bool parts_keep_thread(struct builder *builder, size_t tree, size_t part)
{
	bool is_kept = true;

	for (size_t i = 0; i < builder->touched_count; i++) {
		uint32_t region = builder->touched[i];
		struct part_share share = builder->sums[region];

		builder->sums[region] = (struct part_share){0};
		share.part = (uint32_t)part;
		if (region != 0)
			is_kept = is_kept &&
				  add_found(builder,
					    region_union_number(builder->regions, tree, region),
					    &share);
	}
	builder->touched_count = 0;
	return is_kept;
}

/* Time in no region: see profile/time_base.h.  None of it is known to be work. */
static bool parts_add_rest(struct builder *builder, uint32_t region, size_t part, double ns)
{
	const struct part_share share = {.part = (uint32_t)part, .self_ns = ns, .total_ns = ns};

	return ns < TIME_BASE_LEAST_NS || add_found(builder, region, &share);
}

static bool parts_add_rests(struct builder *builder, size_t part, double outside_ns,
			    double measuring_ns)
{
	return parts_add_rest(builder, builder->regions->outside, part, outside_ns) &&
	       parts_add_rest(builder, builder->regions->measuring, part, measuring_ns);
}

static bool walk_part(struct builder *builder, size_t part)
{
	const struct source *source = &builder->sources[part];
	const struct calltree *tree = builder->loaded->trees[source->tree];
	struct outermost walk = {.open = builder->open};
	struct time_base base = time_base_of(&tree, 1, source->index);

	for (outermost_begin(&walk, tree, tree->thread_root[source->index]); outermost_next(&walk);)
		parts_add_visits(builder, &walk);
	return parts_keep_thread(builder, source->tree, part) &&
	       parts_add_rests(builder, part, base.outside_ns, base.measuring_ns);
}

/* Of all paths of a tree; children come after their parents. */
static bool find_work(struct builder *builder, const struct calltree *tree)
{
	free(builder->work_ns);
	builder->work_ns = work_of_nodes(tree);
	if (!builder->work_ns)
		return false;
	memcpy(builder->inclusive_work_ns, builder->work_ns,
	       tree->node_count * sizeof(*builder->work_ns));
	for (uint32_t i = tree->node_count; i-- > 0;)
		if (tree->nodes[i].parent != CALLTREE_NONE)
			builder->inclusive_work_ns[tree->nodes[i].parent] +=
				builder->inclusive_work_ns[i];
	return true;
}

static bool parts_walk_tree(struct builder *builder, size_t tree)
{
	bool is_kept = find_work(builder, builder->loaded->trees[tree]);

	for (size_t i = builder->first_of_tree[tree];
	     is_kept && i < builder->first_of_tree[tree + 1]; i++)
		is_kept = walk_part(builder, builder->by_tree[i]);
	return is_kept;
}

/* The number of each part of a merged recording among all; NULL = no memory. */
static uint32_t *numbers_of(const struct builder *builder, size_t tree)
{
	uint32_t count = builder->loaded->trees[tree]->recording->part_count;
	uint32_t *numbers = calloc((size_t)count + 1, sizeof(*numbers));

	for (size_t i = builder->first_of_tree[tree];
	     numbers && i < builder->first_of_tree[tree + 1]; i++)
		numbers[builder->sources[builder->by_tree[i]].index] = builder->by_tree[i];
	return numbers;
}

static bool add_merged_rests(struct builder *builder, size_t tree)
{
	bool is_kept = true;

	for (size_t i = builder->first_of_tree[tree];
	     is_kept && i < builder->first_of_tree[tree + 1]; i++) {
		const struct recording_part *part = &builder->sources[builder->by_tree[i]].part;

		builder->parts->has_whole_times |= !part->is_complete;
		is_kept = parts_add_rests(builder, builder->by_tree[i], (double)part->outside_ns,
					  (double)part->measuring_ns);
	}
	return is_kept;
}

/* For a part without further data, the region's name decides. */
static struct part_share merged_share(const struct recording *recording,
				      const struct recording_share *share)
{
	bool is_none = !recording->parts[share->part].is_complete &&
		       work_is_none_of(&recording->regions[share->region]);

	return (struct part_share){
		.count = share->count,
		.self_ns = (double)share->self_ns,
		.total_ns = (double)share->total_ns,
		.work_ns = is_none ? 0 : (double)share->work_ns,
		.work_total_ns = is_none ? 0 : (double)share->work_total_ns,
	};
}

static bool parts_add_shares(struct builder *builder, size_t tree)
{
	const struct recording *recording = builder->loaded->trees[tree]->recording;
	struct share_position position = {0};
	uint32_t *numbers = numbers_of(builder, tree);
	struct recording_share share;
	bool is_kept = numbers && add_merged_rests(builder, tree);

	while (is_kept && recording_share(recording, &position, &share)) {
		struct part_share own = merged_share(recording, &share);

		own.part = numbers[share.part];
		is_kept = add_found(
			builder, region_union_number(builder->regions, tree, share.region), &own);
	}
	free(numbers);
	return is_kept;
}

/* Which parts belong to which tree, since they are sorted by other keys. */
static bool sort_by_tree(struct builder *builder)
{
	size_t tree_count = builder->loaded->tree_count;
	size_t *first = calloc(tree_count + 2, sizeof(*first));

	builder->first_of_tree = first;
	builder->by_tree = calloc(builder->source_count + 1, sizeof(*builder->by_tree));
	if (!first || !builder->by_tree)
		return false;
	for (size_t i = 0; i < builder->source_count; i++)
		first[builder->sources[i].tree + 2]++;
	for (size_t i = 2; i < tree_count + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < builder->source_count; i++)
		builder->by_tree[first[builder->sources[i].tree + 1]++] = (uint32_t)i;
	return true;
}

static bool find_shares(struct builder *builder)
{
	size_t most = 1, most_nodes = 1;
	bool is_kept;

	for (size_t i = 0; i < builder->loaded->tree_count; i++) {
		const struct calltree *tree = builder->loaded->trees[i];

		if (most < tree->recording->region_count)
			most = tree->recording->region_count;
		if (most_nodes < tree->node_count)
			most_nodes = tree->node_count;
	}
	builder->sums = calloc(most, sizeof(*builder->sums));
	builder->open = calloc(most, sizeof(*builder->open));
	builder->touched = calloc(most, sizeof(*builder->touched));
	builder->inclusive_work_ns = calloc(most_nodes, sizeof(*builder->inclusive_work_ns));
	is_kept = builder->sums && builder->open && builder->touched &&
		  builder->inclusive_work_ns && sort_by_tree(builder);
	for (size_t i = 0; is_kept && i < builder->loaded->tree_count; i++)
		is_kept = parts_is_merged(builder->loaded->trees[i]) ? parts_add_shares(builder, i)
								     : parts_walk_tree(builder, i);
	return is_kept;
}

static int model_parts_compare_shares(const void *left, const void *right)
{
	const struct part_share *a = left, *b = right;

	return (a->part > b->part) - (a->part < b->part);
}

/* Merge several shares of one part; returns how many remain. */
static size_t parts_join(struct part_share *shares, size_t count)
{
	size_t kept = 0;
	bool is_sorted = true;

	for (size_t i = 1; i < count && is_sorted; i++)
		is_sorted = shares[i - 1].part <= shares[i].part;
	if (!is_sorted)
		qsort(shares, count, sizeof(*shares), model_parts_compare_shares);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || shares[kept - 1].part != shares[i].part) {
			shares[kept++] = shares[i];
			continue;
		}
		shares[kept - 1].count += shares[i].count;
		shares[kept - 1].self_ns += shares[i].self_ns;
		shares[kept - 1].total_ns += shares[i].total_ns;
		shares[kept - 1].work_ns += shares[i].work_ns;
		shares[kept - 1].work_total_ns += shares[i].work_total_ns;
	}
	return kept;
}

static void close_gaps(struct parts *parts, uint32_t region_count)
{
	size_t end = 0;

	for (uint32_t i = 0; i < region_count; i++) {
		size_t begin = parts->first[i];
		size_t count = parts_join(parts->shares + begin, parts->first[i + 1] - begin);

		memmove(parts->shares + end, parts->shares + begin, count * sizeof(*parts->shares));
		parts->first[i] = end;
		end += count;
	}
	parts->first[region_count] = end;
}

static bool place_shares(struct builder *builder)
{
	struct parts *parts = builder->parts;
	uint32_t region_count = builder->regions->count;
	size_t *next = calloc((size_t)region_count + 1, sizeof(*next));

	parts->first = calloc((size_t)region_count + 2, sizeof(*parts->first));
	parts->shares = calloc(builder->found_count + 1, sizeof(*parts->shares));
	if (!next || !parts->first || !parts->shares) {
		free(next);
		return false;
	}
	for (size_t i = 0; i < builder->found_count; i++)
		parts->first[builder->found[i].region + 1]++;
	for (uint32_t i = 0; i < region_count; i++) {
		parts->first[i + 1] += parts->first[i];
		next[i] = parts->first[i];
	}
	for (size_t i = 0; i < builder->found_count; i++)
		parts->shares[next[builder->found[i].region]++] = builder->found[i].share;
	free(next);
	close_gaps(parts, region_count);
	return true;
}

enum kymo_status parts_new(const struct loaded_run *loaded, const struct region_union *regions,
			   struct parts **out, struct problem *problem)
{
	struct builder builder = {
		.parts = calloc(1, sizeof(*builder.parts)),
		.loaded = loaded,
		.regions = regions,
	};
	bool is_complete = builder.parts && list_parts(&builder) && find_shares(&builder) &&
			   place_shares(&builder) && parts_make_groups(builder.parts);

	free(builder.sources);
	free(builder.found);
	free(builder.sums);
	free(builder.open);
	free(builder.touched);
	free(builder.work_ns);
	free(builder.inclusive_work_ns);
	free(builder.by_tree);
	free(builder.first_of_tree);
	if (!is_complete) {
		parts_free(builder.parts);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	*out = builder.parts;
	return KYMO_OK;
}

void parts_free(struct parts *parts)
{
	if (!parts)
		return;
	for (int by = 0; by < PARTS_BY_COUNT; by++) {
		free(parts->groups[by].of);
		free(parts->groups[by].first);
	}
	free(parts->parts);
	free(parts->shares);
	free(parts->first);
	lines_free(parts->folders, parts->folder_count);
	free(parts);
}
