/* Runs, side by side. */
#include "merge/merge_join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "format/metric.h"

/* For all cursors together. */
#define BUFFERS_BYTES	    (UINT64_C(32) << 20)
#define BUFFER_LEAST	    4096u
#define BUFFER_MOST	    (256u << 10)
/* A larger map of regions lies in the spilled file, so that it need not be in memory. */
#define MAP_BYTES_IN_MEMORY (UINT64_C(4) << 20)

static enum kymo_status no_memory(struct problem *problem)
{
	return problem_set(problem, KYMO_MEMORY, "no memory to merge; try a smaller --memory");
}

static enum kymo_status cannot_read(struct problem *problem)
{
	return problem_set(problem, KYMO_SYSTEM, "cannot read a temporary file: %s",
			   strerror(errno ? errno : EIO));
}

/* ---- metrics ------------------------------------------------------------------------- */

static int compare_metrics(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct metric_info *info_a, *info_b;

	if (a == b)
		return 0;
	if (a < KYMO_METRIC_NAMED || b < KYMO_METRIC_NAMED)
		return a < b ? -1 : 1;
	info_a = metric_info((enum kymo_metric)a);
	info_b = metric_info((enum kymo_metric)b);
	return strcmp(info_a ? info_a->name : "", info_b ? info_b->name : "");
}

uint32_t merge_join_metrics(const struct merge_spill *spill, uint32_t *ids_out)
{
	uint32_t ids[KYMO_METRIC_COUNT + METRIC_NAMED_MAX + KYMO_METRICS_MAX], count = 0, kept = 0;

	for (size_t i = 0; i < spill->run_count; i++) {
		const struct merge_run *run = &spill->runs[i];

		for (uint32_t k = 0; k < run->metric_count; k++) {
			uint32_t at = 0;

			while (at < count && ids[at] != run->metric_ids[k])
				at++;
			if (at == count && count < sizeof(ids) / sizeof(*ids))
				ids[count++] = run->metric_ids[k];
		}
	}
	if (count > 1)
		qsort(ids, count, sizeof(*ids), compare_metrics);
	for (; kept < count && kept < KYMO_METRICS_MAX; kept++)
		ids_out[kept] = ids[kept];
	return kept;
}

/* ---- cursors of all runs ------------------------------------------------------------- */

static size_t buffer_size(size_t run_count)
{
	uint64_t size = BUFFERS_BYTES / (run_count ? run_count : 1);

	if (size < BUFFER_LEAST)
		return BUFFER_LEAST;
	return size > BUFFER_MOST ? BUFFER_MOST : (size_t)size;
}

static void cursors_free(struct merge_cursor *cursors, size_t count)
{
	for (size_t i = 0; cursors && i < count; i++)
		merge_cursor_release(&cursors[i]);
	free(cursors);
}

static struct merge_cursor *cursors_new(const struct merge_spill *spill, bool is_of_nodes)
{
	struct merge_cursor *cursors = calloc(spill->run_count + 1, sizeof(*cursors));

	for (size_t i = 0; cursors && i < spill->run_count; i++) {
		if (merge_cursor_init(&cursors[i], spill, &spill->runs[i], is_of_nodes,
				      buffer_size(spill->run_count)))
			continue;
		cursors_free(cursors, spill->run_count);
		return NULL;
	}
	return cursors;
}

static bool has_failed(const struct merge_cursor *cursors, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cursors[i].has_failed)
			return true;
	return false;
}

/* ---- regions ------------------------------------------------------------------------- */

struct heap { /* of runs, the one with the smallest region on top */
	struct merge_cursor *cursors;
	size_t *items;
	size_t count;
};

static bool is_before(const struct heap *heap, size_t a, size_t b)
{
	return merge_region_compare(&heap->cursors[heap->items[a]].region,
				    &heap->cursors[heap->items[b]].region) < 0;
}

static void heap_sink(struct heap *heap, size_t at)
{
	for (;;) {
		size_t least = at, left = 2 * at + 1, right = left + 1, item;

		if (left < heap->count && is_before(heap, left, least))
			least = left;
		if (right < heap->count && is_before(heap, right, least))
			least = right;
		if (least == at)
			return;
		item = heap->items[at];
		heap->items[at] = heap->items[least];
		heap->items[least] = item;
		at = least;
	}
}

/* The run on top moves on. */
static void heap_next(struct heap *heap)
{
	struct merge_cursor *top = &heap->cursors[heap->items[0]];

	merge_cursor_next_region(top);
	if (top->is_at_end)
		heap->items[0] = heap->items[--heap->count];
	heap_sink(heap, 0);
}

static bool heap_init(struct heap *heap, struct merge_cursor *cursors, size_t count)
{
	*heap = (struct heap){.cursors = cursors, .items = calloc(count + 1, sizeof(size_t))};
	if (!heap->items)
		return false;
	for (size_t i = 0; i < count; i++) {
		merge_cursor_next_region(&cursors[i]);
		if (!cursors[i].is_at_end)
			heap->items[heap->count++] = i;
	}
	for (size_t i = heap->count / 2; i-- > 0;)
		heap_sink(heap, i);
	return true;
}

static bool keep_thread(struct merge_joined *joined, const struct merge_region *region)
{
	size_t capacity = joined->thread_capacity;
	char **threads = array_grow(joined->threads, &joined->thread_capacity,
				    joined->thread_count + 1, sizeof(*threads));
	uint32_t *flags;

	if (!threads)
		return false;
	joined->threads = threads;
	flags = array_grow(joined->thread_flags, &capacity, joined->thread_count + 1,
			   sizeof(*flags));
	if (!flags)
		return false;
	joined->thread_flags = flags;
	flags[joined->thread_count] = region->flags;
	threads[joined->thread_count] = region->texts[0] ? strdup(region->texts[0]) : NULL;
	if (region->texts[0] && !threads[joined->thread_count])
		return false;
	joined->thread_count++;
	return true;
}

static bool mark_c(struct merge_joined *joined, uint32_t id, uint32_t kind)
{
	size_t before = joined->is_c_capacity;
	unsigned char *bits =
		array_grow(joined->is_c, &joined->is_c_capacity, id / 8 + (size_t)1, 1);

	if (!bits)
		return false;
	joined->is_c = bits;
	memset(bits + before, 0, joined->is_c_capacity - before);
	if (kind == KYMO_REGION_PYTHON_C || kind == KYMO_REGION_PYTHON_METHOD)
		bits[id / 8] |= (unsigned char)(1u << id % 8);
	return true;
}

/* The id of the region on top in the recording; 0: failed. */
static uint32_t write_region(struct merge_joined *joined, const struct merge_region *region,
			     uint32_t last)
{
	const struct region made = {
		.kind = (enum kymo_region_kind)region->kind,
		.flags = region->flags,
		.name = region->texts[0],
		.qualname = region->texts[1],
		.module = region->texts[2],
		.file = region->texts[3],
		.arguments = region->texts[4],
		.line = region->line,
		.argument_count = region->argument_count,
		.local_count = region->local_count,
		.stack_size = region->stack_size,
	};
	uint32_t id;

	if (region->kind == MERGE_REGION_THREAD) {
		if (!joined->thread_count)
			joined->first_thread = last + 1;
		return keep_thread(joined, region) ? last + 1 : 0;
	}
	id = recording_maker_new_region(joined->maker, &made);
	return id && mark_c(joined, id, region->kind) ? id : 0;
}

/* What is on top was written as last when it is the same as what was there before. */
static enum kymo_status join_heap(struct merge_joined *joined, struct heap *heap,
				  struct problem *problem)
{
	uint64_t *next = calloc(joined->spill->run_count + 1, sizeof(*next));
	struct merge_regions before = {0};
	uint32_t last = 0;
	enum kymo_status status = next ? KYMO_OK : no_memory(problem);

	while (status == KYMO_OK && heap->count > 0) {
		size_t run = heap->items[0];
		const struct merge_region *region = &heap->cursors[run].region;

		if (!before.count || merge_region_compare(&before.items[0], region) != 0) {
			merge_regions_release(&before);
			last = write_region(joined, region, last);
			/* The cursor's texts are gone when it moves on. */
			if (!last || merge_regions_add(&before, region) == MERGE_NO_REGION)
				status = no_memory(problem);
		}
		joined->map[joined->first[run] + next[run]++] = last;
		heap_next(heap);
	}
	merge_regions_release(&before);
	free(next);
	return status;
}

static enum kymo_status map_new(struct merge_joined *joined, struct merge_spill *spill,
				struct problem *problem)
{
	uint64_t count = 0, at = (spill->end + 65535) / 65536 * 65536, bytes;

	joined->first = calloc(spill->run_count + 1, sizeof(*joined->first));
	if (!joined->first)
		return no_memory(problem);
	for (size_t i = 0; i < spill->run_count; i++) {
		joined->first[i] = count;
		count += spill->runs[i].region_count;
	}
	bytes = (count + 1) * sizeof(*joined->map);
	if (bytes <= MAP_BYTES_IN_MEMORY) {
		joined->map = calloc(count + 1, sizeof(*joined->map));
		return joined->map ? KYMO_OK : no_memory(problem);
	}
	errno = posix_fallocate(spill->fd, (off_t)at, (off_t)bytes);
	if (errno)
		return problem_set(problem, KYMO_SYSTEM,
				   "cannot write a temporary file in '%s': %s", spill->directory,
				   strerror(errno));
	joined->map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, spill->fd, (off_t)at);
	if (joined->map == MAP_FAILED) {
		joined->map = NULL;
		return no_memory(problem);
	}
	joined->map_bytes = bytes;
	return KYMO_OK;
}

enum kymo_status merge_join_regions(struct merge_joined *joined, struct merge_spill *spill,
				    struct problem *problem)
{
	struct merge_cursor *cursors = cursors_new(spill, false);
	struct heap heap = {0};
	enum kymo_status status;

	joined->spill = spill;
	status = cursors ? map_new(joined, spill, problem) : no_memory(problem);
	if (status == KYMO_OK && !heap_init(&heap, cursors, spill->run_count))
		status = no_memory(problem);
	if (status == KYMO_OK)
		status = join_heap(joined, &heap, problem);
	if (status == KYMO_OK && has_failed(cursors, spill->run_count))
		status = cannot_read(problem);
	free(heap.items);
	cursors_free(cursors, spill->run_count);
	return status;
}

void merge_joined_release(struct merge_joined *joined)
{
	if (joined->map_bytes)
		munmap(joined->map, joined->map_bytes);
	else
		free(joined->map);
	for (size_t i = 0; i < joined->thread_count; i++)
		free(joined->threads[i]);
	free(joined->threads);
	free(joined->thread_flags);
	free(joined->first);
	free(joined->is_c);
	*joined = (struct merge_joined){0};
}

/* ---- nodes ---------------------------------------------------------------------------- */

struct level {	       /* a node whose children come, or all threads */
	size_t active; /* runs that have it: the first of the order */
	uint64_t handle;
	uint32_t thread;
	bool is_folded;
	uint64_t self_ns, inclusive_ns;
};

struct join {
	struct merge_joined *joined;
	struct merge_cursor *cursors;
	size_t *order; /* of the runs: those of an inner level are the first of an outer one's */
	struct level *levels;
	size_t depth, level_capacity;
	/* The node that is put together. */
	struct merge_values values;
	struct merge_metric metrics[KYMO_METRICS_MAX];
	struct merge_thread_sums thread;
	/* By run: which of the recording's metrics each of its own is; metric_count = none. */
	unsigned char *columns;
};

static uint64_t key_at(const struct join *join, size_t run)
{
	const struct merge_cursor *cursor = &join->cursors[run];

	return (uint64_t)merge_join_region(join->joined, run, cursor->node_region) << 1 |
	       cursor->is_folded;
}

/* Bring the runs with the smallest node of this level to the front; their number. */
static size_t gather(struct join *join, uint64_t *key_out)
{
	size_t active = join->levels[join->depth].active, found = 0;
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < active; i++) {
		size_t run = join->order[i];
		const struct merge_cursor *cursor = &join->cursors[run];
		uint64_t key;

		if (cursor->is_at_end || cursor->depth != join->depth)
			continue;
		key = key_at(join, run);
		if (key > least)
			continue;
		if (key < least)
			found = 0;
		least = key;
		join->order[i] = join->order[found];
		join->order[found++] = run;
	}
	*key_out = least;
	return found;
}

/* Add up what these runs are at, and let them move on. */
static void add_up(struct join *join, size_t count)
{
	join->values = merge_values_none;
	join->thread = (struct merge_thread_sums){0};
	for (uint32_t k = 0; k < join->joined->metric_count; k++)
		join->metrics[k] = merge_metric_none;
	for (size_t i = 0; i < count; i++) {
		size_t run = join->order[i];
		struct merge_cursor *cursor = &join->cursors[run];
		const unsigned char *columns = &join->columns[run * KYMO_METRICS_MAX];

		merge_values_add(&join->values, &cursor->values);
		if (cursor->depth == 0)
			merge_thread_add(&join->thread, &cursor->thread);
		for (uint32_t k = 0; k < cursor->run->metric_count; k++)
			if (columns[k] < join->joined->metric_count)
				merge_metric_add(&join->metrics[columns[k]], &cursor->metrics[k]);
		merge_cursor_next_node(cursor);
	}
}

static void count_calls(struct merge_joined *joined, uint32_t region, uint64_t count)
{
	joined->call_count = merge_add_natural(joined->call_count, count);
	if (joined->is_c[region / 8] >> region % 8 & 1)
		joined->c_call_count = merge_add_natural(joined->c_call_count, count);
}

/* Zero for what is not known, as the reader has it. */
static void make_metrics(const struct join *join, struct calltree_metric *metrics,
			 int64_t (*rests)[2])
{
	for (uint32_t k = 0; k < join->joined->metric_count; k++) {
		const struct merge_metric *from = &join->metrics[k];
		bool is_known = from->min <= from->max;

		metrics[k] = (struct calltree_metric){
			.count = from->count,
			.sum = (double)from->sum,
			.sum_squares = (double)from->squares,
			.min = is_known ? from->min : 1,
			.max = is_known ? from->max : 0,
		};
		rests[k][0] = merge_rest(from->sum);
		rests[k][1] = merge_rest(from->squares);
	}
}

static uint32_t make_thread(struct join *join, uint32_t id)
{
	struct merge_joined *joined = join->joined;
	uint32_t index = id - joined->first_thread;
	const struct thread sums = {
		.flags = joined->thread_flags[index],
		.lost_events = join->thread.lost_events,
		.folded = join->thread.folded,
		.resynced = join->thread.resynced,
		.misused_ends = join->thread.misused_ends,
		.never_ended = join->thread.never_ended,
	};
	uint32_t thread = recording_maker_thread(joined->maker, joined->threads[index], 0, 0, 0,
						 join->thread.cpu_ns);

	recording_maker_thread_losses(joined->maker, thread, &sums);
	return thread;
}

/* Write the node that was put together, a child of this level's, and go down to its own. */
static bool write_node(struct join *join, uint64_t key, size_t active)
{
	const struct level *parent = &join->levels[join->depth];
	struct calltree_metric metrics[KYMO_METRICS_MAX];
	int64_t rests[KYMO_METRICS_MAX][2];
	const struct merge_values *values = &join->values;
	const struct made_exact exact = {
		.self_ns = values->self_ns,
		.squares = (uint64_t)values->squares,
		.squares_high = (uint64_t)(values->squares >> 64),
		.rests = (const int64_t(*)[2])rests,
	};
	struct made_node node = {
		.region = (uint32_t)(key >> 1),
		.thread = parent->thread,
		.parent = parent->handle,
		.count = values->count,
		.closed_count = values->min_ns <= values->max_ns ? values->closed : 0,
		.min_ns = values->min_ns,
		.max_ns = values->max_ns,
		.sum_squares_ns = (double)values->squares,
		.is_folded = key & 1,
		.metrics = metrics,
		.exact = &exact,
	};
	struct level *levels =
		array_grow(join->levels, &join->level_capacity, join->depth + 2, sizeof(*levels));
	uint64_t handle;

	if (!levels)
		return false;
	join->levels = levels;
	make_metrics(join, metrics, rests);
	if (join->depth == 0)
		node.thread = make_thread(join, node.region);
	else
		count_calls(join->joined, node.region, values->count);
	handle = join->depth == 0 ? recording_maker_root(join->joined->maker, &node)
				  : recording_maker_node(join->joined->maker, &node);
	join->levels[++join->depth] = (struct level){
		.active = active,
		.handle = handle,
		.thread = node.thread,
		.is_folded = node.is_folded,
		.self_ns = values->self_ns,
		.inclusive_ns = values->self_ns,
	};
	return true;
}

/* The node whose children are all written; its time is known now. */
static void finish_node(struct join *join)
{
	const struct level *level = &join->levels[join->depth--];
	struct level *parent = &join->levels[join->depth];

	recording_maker_sum(join->joined->maker, level->handle,
			    level->is_folded ? level->self_ns : level->inclusive_ns);
	parent->inclusive_ns = merge_add(parent->inclusive_ns, level->inclusive_ns);
}

static bool join_all(struct join *join)
{
	for (;;) {
		uint64_t key;
		size_t count = gather(join, &key);

		if (count > 0) {
			add_up(join, count);
			if (!write_node(join, key, count))
				return false;
			continue;
		}
		if (join->depth == 0)
			return true;
		finish_node(join);
	}
}

static void make_columns(struct join *join, const struct merge_spill *spill)
{
	const struct merge_joined *joined = join->joined;

	for (size_t run = 0; run < spill->run_count; run++)
		for (uint32_t k = 0; k < spill->runs[run].metric_count; k++) {
			unsigned char column = 0;

			while (column < joined->metric_count &&
			       joined->metric_ids[column] != spill->runs[run].metric_ids[k])
				column++;
			join->columns[run * KYMO_METRICS_MAX + k] = column;
		}
}

static bool join_init(struct join *join, const struct merge_spill *spill)
{
	size_t count = spill->run_count;

	join->cursors = cursors_new(spill, true);
	join->order = calloc(count + 1, sizeof(*join->order));
	join->columns = calloc(count + 1, KYMO_METRICS_MAX);
	join->levels = array_grow(NULL, &join->level_capacity, 1, sizeof(*join->levels));
	if (!join->cursors || !join->order || !join->columns || !join->levels)
		return false;
	join->levels[0] = (struct level){.active = count};
	for (size_t i = 0; i < count; i++) {
		join->order[i] = i;
		merge_cursor_next_node(&join->cursors[i]);
	}
	make_columns(join, spill);
	return true;
}

enum kymo_status merge_join_nodes(struct merge_joined *joined, struct problem *problem)
{
	const struct merge_spill *spill = joined->spill;
	struct join join = {.joined = joined};
	enum kymo_status status = KYMO_OK;

	errno = 0;
	if (!join_init(&join, spill) || !join_all(&join))
		status = no_memory(problem);
	if (status == KYMO_OK && has_failed(join.cursors, spill->run_count))
		status = cannot_read(problem);
	cursors_free(join.cursors, spill->run_count);
	free(join.order);
	free(join.columns);
	free(join.levels);
	return status;
}
