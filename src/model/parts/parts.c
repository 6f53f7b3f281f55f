/* The parts of a run and what each has of every region.
 *
 * One walk over each thread's tree adds up its regions; a visit inside of another one of the
 * same region adds nothing to its total, as in the flat profile.  Shares are found by part
 * and wanted by region: they are counted by region first and put in their places then. */
#include "model/parts/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/parts/parts_group.h"
#include "model/parts/runtime_code.h"
#include "model/profile/outermost.h"
#include "model/profile/time_base.h"
#include "model/recording/recording_rank.h"

struct source { /* where a part comes from, while they are sorted */
	struct recording_part part;
	uint32_t tree;
	uint32_t index; /* number of the thread, or of the part in a merged recording */
	bool is_merged;
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
	bool is_idle;
	uint32_t cpu_metric;  /* of its tree, see cpu_metric() */
	unsigned char *codes; /* per node of its tree: enum runtime_code */
};

#define NO_METRIC UINT32_MAX
#define IDLE_CPU  0.01 /* of its life: a thread that used less never left its wait */

/* ---- the parts ----------------------------------------------------------------------- */

static bool add_source(struct builder *builder, const struct source *source)
{
	struct source *grown = array_grow(builder->sources, &builder->source_capacity,
					  builder->source_count + 1, sizeof(*grown));

	if (!grown)
		return false;
	builder->sources = grown;
	grown[builder->source_count++] = *source;
	return true;
}

static uint64_t duration_of(const struct recording *recording, const struct thread *thread)
{
	uint64_t end = thread->end_ticks ? thread->end_ticks : recording->end_ticks;
	int64_t ns = recording_ns(recording, end) - recording_ns(recording, thread->start_ticks);

	return ns > 0 ? (uint64_t)ns : 0;
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

static bool add_threads(struct builder *builder, size_t index)
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
		source.part.duration_ns = duration_of(recording, &recording->threads[i]);
		source.part.cpu_ns = recording->threads[i].cpu_ns;
		if (!add_source(builder, &source))
			return false;
	}
	return true;
}

static bool is_merged(const struct calltree *tree)
{
	return tree->recording->part_count > 0;
}

static bool add_merged(struct builder *builder, size_t index)
{
	const struct recording *recording = builder->loaded->trees[index]->recording;

	for (uint32_t i = 0; i < recording->part_count; i++) {
		struct source source = {recording->parts[i], (uint32_t)index, i, true};

		if (!add_source(builder, &source))
			return false;
	}
	return true;
}

static bool add_parts_of(struct builder *builder, size_t index)
{
	return is_merged(builder->loaded->trees[index]) ? add_merged(builder, index)
							: add_threads(builder, index);
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

/* ---- the shares of one thread ----------------------------------------------------------- */

static bool region_is_wait(const struct region *region)
{
	return region->kind == KYMO_REGION_PTHREAD && region->flags & KYMO_REGION_OBJECT;
}

/* Which metric is the CPU time that samples tell; NO_METRIC where they do not, or are none. */
static uint32_t cpu_metric(const struct calltree *tree)
{
	double sum = 0;
	uint32_t found = NO_METRIC;

	for (uint32_t i = 0; tree->effective_count > 0 && tree->metrics && i < tree->metric_count;
	     i++)
		if (tree->metric_ids[i] == KYMO_METRIC_SAMPLING_CPU_CLOCK)
			found = i;
	for (uint32_t i = 0; found != NO_METRIC && i < tree->recording->thread_count; i++)
		if (tree->thread_root[i] != CALLTREE_NONE)
			sum += tree->metrics[(size_t)tree->thread_root[i] * tree->metric_count +
					     found]
				       .sum;
	return sum > 0 ? found : NO_METRIC;
}

/* Own time of a visit: where it is known CPU time, less that of what it called. */
static double own_ns(const struct calltree *tree, uint32_t metric, uint32_t index)
{
	const struct calltree_node *nodes = tree->nodes;
	double ns;

	if (metric == NO_METRIC)
		return nodes[index].self_ns;
	ns = tree->metrics[(size_t)index * tree->metric_count + metric].sum;
	for (uint32_t child = nodes[index].first_child; child != CALLTREE_NONE;
	     child = nodes[child].next_sibling)
		ns -= tree->metrics[(size_t)child * tree->metric_count + metric].sum;
	return ns > 0 ? ns : 0;
}

/* Nodes are met after their parents. */
static double work_of(struct builder *builder, const struct outermost *walk)
{
	const struct calltree *tree = walk->tree;
	const struct region *region = &tree->recording->regions[walk->node->region];
	unsigned char caller = builder->codes[walk->node->parent];

	builder->codes[walk->index] =
		(unsigned char)runtime_code_below((enum runtime_code)caller, region);
	if (builder->is_idle || region_is_wait(region) ||
	    runtime_code_waits((enum runtime_code)builder->codes[walk->index]))
		return 0;
	return own_ns(tree, builder->cpu_metric, walk->index);
}

static void add_visits(struct builder *builder, const struct outermost *walk)
{
	struct part_share *sum = &builder->sums[walk->key];

	/* part: whether it is among the touched. */
	if (sum->part == 0) {
		sum->part = 1;
		builder->touched[builder->touched_count++] = walk->key;
	}
	sum->count += walk->node->count;
	sum->self_ns += walk->node->self_ns;
	sum->work_ns += work_of(builder, walk);
	sum->total_ns += walk->is_outermost ? walk->node->sum_ns : 0;
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

/* A pool's thread that nobody gave anything to do, or one that serves a library: what it used is
 * what its start takes.  The first thread is the program itself, whatever it does. */
static bool is_idle(const struct calltree *tree, const struct source *source)
{
	const struct recording_part *part = &source->part;
	const struct thread *threads = tree->recording->threads;

	return tree->effective_count <= 0 && part->thread > 0 && threads[0].cpu_ns > 0 &&
	       (double)part->cpu_ns < IDLE_CPU * (double)part->duration_ns;
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

/* What is in no region: see profile/time_base.h.  None of it is known to be work. */
static bool add_rest(struct builder *builder, uint32_t region, size_t part, double ns)
{
	const struct part_share share = {.part = (uint32_t)part, .self_ns = ns, .total_ns = ns};

	return ns < TIME_BASE_LEAST_NS || add_found(builder, region, &share);
}

static bool add_rests(struct builder *builder, const struct source *source, size_t part)
{
	struct time_base base =
		time_base_of(&builder->loaded->trees[source->tree], 1, source->index);

	return add_rest(builder, builder->regions->outside, part, base.outside_ns) &&
	       add_rest(builder, builder->regions->measuring, part, base.measuring_ns);
}

static bool walk_part(struct builder *builder, size_t part)
{
	const struct source *source = &builder->sources[part];
	const struct calltree *tree = builder->loaded->trees[source->tree];
	struct outermost walk = {.open = builder->open};

	builder->is_idle = is_idle(tree, source);
	builder->cpu_metric = cpu_metric(tree);
	if (tree->thread_root[source->index] != CALLTREE_NONE)
		builder->codes[tree->thread_root[source->index]] = RUNTIME_CODE_NONE;
	for (outermost_begin(&walk, tree, tree->thread_root[source->index]); outermost_next(&walk);)
		add_visits(builder, &walk);
	return keep_thread(builder, source->tree, part) && add_rests(builder, source, part);
}

/* Where each part of a merged recording stands among all; NULL = no memory. */
static uint32_t *numbers_of(const struct builder *builder, size_t tree)
{
	uint32_t count = builder->loaded->trees[tree]->recording->part_count;
	uint32_t *numbers = calloc((size_t)count + 1, sizeof(*numbers));

	for (size_t i = 0; numbers && i < builder->source_count; i++)
		if (builder->sources[i].is_merged && builder->sources[i].tree == tree)
			numbers[builder->sources[i].index] = (uint32_t)i;
	return numbers;
}

/* Who called whom is not known of them. */
static double work_of_share(const struct builder *builder, size_t tree,
			    const struct recording_share *share)
{
	const struct recording *recording = builder->loaded->trees[tree]->recording;
	const struct region *region = &recording->regions[share->region];

	return region_is_wait(region) || runtime_code_waits(runtime_code_of(region))
		       ? 0
		       : (double)share->self_ns;
}

static bool add_shares(struct builder *builder, size_t tree)
{
	const struct recording *recording = builder->loaded->trees[tree]->recording;
	struct share_position position = {0};
	uint32_t *numbers = numbers_of(builder, tree);
	struct recording_share share;
	bool is_kept = numbers != NULL;

	while (is_kept && recording_share(recording, &position, &share)) {
		struct part_share own = {
			.part = numbers[share.part],
			.count = share.count,
			.self_ns = (double)share.self_ns,
			.work_ns = work_of_share(builder, tree, &share),
			.total_ns = (double)share.total_ns,
		};

		is_kept = add_found(
			builder, region_union_number(builder->regions, tree, share.region), &own);
	}
	free(numbers);
	return is_kept;
}

static bool find_shares(struct builder *builder)
{
	size_t most = 1, most_nodes = 1;

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
	builder->codes = calloc(most_nodes, sizeof(*builder->codes));
	if (!builder->sums || !builder->open || !builder->touched || !builder->codes)
		return false;
	for (size_t i = 0; i < builder->source_count; i++)
		if (!builder->sources[i].is_merged && !walk_part(builder, i))
			return false;
	for (size_t i = 0; i < builder->loaded->tree_count; i++)
		if (is_merged(builder->loaded->trees[i]) && !add_shares(builder, i))
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
	free(builder.codes);
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
