/* The parts of a run and what each has of every region.
 *
 * One walk over each thread's tree adds up its regions; a visit inside of another one of the
 * same region adds nothing to its total, as in the flat profile.  Shares are found by part
 * and wanted by region: they are counted by region first and put in their places then. */
#include "report/parts.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/recording_rank.h"
#include "base/array.h"
#include "report/parts_group.h"

struct source { /* where a part comes from, while they are sorted */
	struct recording_part part;
	uint32_t tree;
	uint32_t index; /* number of the thread, or of the part in a merged recording */
};

struct found { /* a share before it has its place */
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
	/* Of the thread that is walked, by region of its recording: */
	struct part_share *sums;
	uint32_t *open;
	uint32_t *touched;
	size_t touched_count;
};

/* ---- the parts ----------------------------------------------------------------------- */

static bool add_source(struct builder *builder, const struct recording_part *part, size_t tree,
		       size_t index)
{
	struct source *grown = array_grow(builder->sources, &builder->source_capacity,
					  builder->source_count + 1, sizeof(*grown));

	if (!grown)
		return false;
	builder->sources = grown;
	grown[builder->source_count++] = (struct source){*part, (uint32_t)tree, (uint32_t)index};
	return true;
}

static uint64_t duration_of(const struct recording *recording, const struct thread *thread)
{
	uint64_t end = thread->end_ticks ? thread->end_ticks : recording->end_ticks;
	int64_t ns = recording_ns(recording, end) - recording_ns(recording, thread->start_ticks);

	return ns > 0 ? (uint64_t)ns : 0;
}

static bool add_threads(struct builder *builder, size_t index)
{
	const struct calltree *tree = builder->loaded->trees[index];
	const struct recording *recording = tree->recording;
	struct recording_part part = {
		.run = builder->loaded->run->path,
		.program = recording_program(recording),
		.host = recording_note(recording, KYMO_NOTE_INFO, "hostname"),
		.pid = recording->header.pid,
		.rank = recording_rank(recording),
		.start_realtime_ns = recording->header.start_realtime_ns,
	};

	for (uint32_t i = 0; i < recording->thread_count; i++) {
		if (!recording->threads[i].is_present && tree->thread_root[i] == CALLTREE_NONE)
			continue;
		part.thread = i;
		part.thread_name = recording->threads[i].name;
		part.duration_ns = duration_of(recording, &recording->threads[i]);
		part.cpu_ns = recording->threads[i].cpu_ns;
		if (!add_source(builder, &part, index, i))
			return false;
	}
	return true;
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
		if (!add_threads(builder, i))
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

/* ---- the shares of one thread ----------------------------------------------------------- */

static void node_open(struct builder *builder, const struct calltree_node *node)
{
	struct part_share *sum = &builder->sums[node->region];

	/* part: whether it is among the touched. */
	if (sum->part == 0) {
		sum->part = 1;
		builder->touched[builder->touched_count++] = node->region;
	}
	sum->count += node->count;
	sum->self_ns += node->self_ns;
	if (builder->open[node->region]++ == 0)
		sum->total_ns += node->sum_ns;
}

/* The next node in order, after leaving those whose last child node was. */
static uint32_t node_after(struct builder *builder, const struct calltree_node *nodes,
			   uint32_t index, uint32_t root)
{
	if (nodes[index].first_child != CALLTREE_NONE)
		return nodes[index].first_child;
	while (index != root) {
		builder->open[nodes[index].region]--;
		if (nodes[index].next_sibling != CALLTREE_NONE)
			return nodes[index].next_sibling;
		index = nodes[index].parent;
	}
	return CALLTREE_NONE;
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

static bool keep_thread(struct builder *builder, size_t tree, size_t part)
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

static bool walk_part(struct builder *builder, size_t part)
{
	const struct source *source = &builder->sources[part];
	const struct calltree *tree = builder->loaded->trees[source->tree];
	uint32_t root = tree->thread_root[source->index];
	uint32_t index;

	if (root == CALLTREE_NONE)
		return true;
	for (index = node_after(builder, tree->nodes, root, root); index != CALLTREE_NONE;
	     index = node_after(builder, tree->nodes, index, root))
		node_open(builder, &tree->nodes[index]);
	return keep_thread(builder, source->tree, part);
}

static bool find_shares(struct builder *builder)
{
	size_t most = 1;

	for (size_t i = 0; i < builder->loaded->tree_count; i++)
		if (most < builder->loaded->trees[i]->recording->region_count)
			most = builder->loaded->trees[i]->recording->region_count;
	builder->sums = calloc(most, sizeof(*builder->sums));
	builder->open = calloc(most, sizeof(*builder->open));
	builder->touched = calloc(most, sizeof(*builder->touched));
	if (!builder->sums || !builder->open || !builder->touched)
		return false;
	for (size_t i = 0; i < builder->source_count; i++)
		if (!walk_part(builder, i))
			return false;
	return true;
}

/* ---- in their places -------------------------------------------------------------------- */

static int compare_shares(const void *left, const void *right)
{
	const struct part_share *a = left, *b = right;

	return (a->part > b->part) - (a->part < b->part);
}

/* Several shares of one part become one; returns how many remain. */
static size_t join(struct part_share *shares, size_t count)
{
	size_t kept = 0;
	bool is_sorted = true;

	for (size_t i = 1; i < count && is_sorted; i++)
		is_sorted = shares[i - 1].part <= shares[i].part;
	if (!is_sorted)
		qsort(shares, count, sizeof(*shares), compare_shares);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || shares[kept - 1].part != shares[i].part) {
			shares[kept++] = shares[i];
			continue;
		}
		shares[kept - 1].count += shares[i].count;
		shares[kept - 1].self_ns += shares[i].self_ns;
		shares[kept - 1].total_ns += shares[i].total_ns;
	}
	return kept;
}

static void close_gaps(struct parts *parts, uint32_t region_count)
{
	size_t end = 0;

	for (uint32_t i = 0; i < region_count; i++) {
		size_t begin = parts->first[i];
		size_t count = join(parts->shares + begin, parts->first[i + 1] - begin);

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
	free(parts);
}
