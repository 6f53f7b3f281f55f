/* Joins the regions of runs, read in parallel, and their metrics. */
#include "merge/merge_join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "format/metric.h"
#include "merge/inputs/merge_cursors.h"
#include "merge/inputs/merge_problem.h"

/* A larger map of regions is stored in the spilled file instead of in memory. */
#define MAP_BYTES_IN_MEMORY (UINT64_C(4) << 20)

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

struct heap { /* of runs, the one with the smallest region on top */
	struct merge_cursor *cursors;
	size_t *items;
	size_t count;
};

static bool join_is_before(const struct heap *heap, size_t a, size_t b)
{
	return merge_region_compare(&heap->cursors[heap->items[a]].region,
				    &heap->cursors[heap->items[b]].region) < 0;
}

static void heap_sink(struct heap *heap, size_t at)
{
	for (;;) {
		size_t least = at, left = 2 * at + 1, right = left + 1, item;

		if (left < heap->count && join_is_before(heap, left, least))
			least = left;
		if (right < heap->count && join_is_before(heap, right, least))
			least = right;
		if (least == at)
			return;
		item = heap->items[at];
		heap->items[at] = heap->items[least];
		heap->items[least] = item;
		at = least;
	}
}

/* Advance the run on top. */
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

static bool join_keep_thread(struct merge_joined *joined, const struct merge_region *region)
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
		return join_keep_thread(joined, region) ? last + 1 : 0;
	}
	id = recording_writer_new_region(joined->maker, &made);
	return id && mark_c(joined, id, region->kind) ? id : 0;
}

/* The region on top was the last one written if it equals the previous one. */
static enum kymo_status join_heap(struct merge_joined *joined, struct heap *heap,
				  struct problem *problem)
{
	uint64_t *next = calloc(joined->spill->run_count + 1, sizeof(*next));
	struct merge_regions before = {0};
	uint32_t last = 0;
	enum kymo_status status = next ? KYMO_OK : merge_no_memory(problem);

	while (status == KYMO_OK && heap->count > 0) {
		size_t run = heap->items[0];
		const struct merge_region *region = &heap->cursors[run].region;

		if (!before.count || merge_region_compare(&before.items[0], region) != 0) {
			merge_regions_release(&before);
			last = write_region(joined, region, last);
			/* The cursor's texts are invalid once it moves on. */
			if (!last || merge_regions_add(&before, region) == MERGE_NO_REGION)
				status = merge_no_memory(problem);
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
		return merge_no_memory(problem);
	for (size_t i = 0; i < spill->run_count; i++) {
		joined->first[i] = count;
		count += spill->runs[i].region_count;
	}
	bytes = (count + 1) * sizeof(*joined->map);
	if (bytes <= MAP_BYTES_IN_MEMORY) {
		joined->map = calloc(count + 1, sizeof(*joined->map));
		return joined->map ? KYMO_OK : merge_no_memory(problem);
	}
	errno = posix_fallocate(spill->fd, (off_t)at, (off_t)bytes);
	if (errno)
		return problem_set(problem, KYMO_SYSTEM,
				   "cannot write a temporary file in '%s': %s", spill->directory,
				   strerror(errno));
	joined->map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, spill->fd, (off_t)at);
	if (joined->map == MAP_FAILED) {
		joined->map = NULL;
		return merge_no_memory(problem);
	}
	joined->map_bytes = bytes;
	return KYMO_OK;
}

enum kymo_status merge_join_regions(struct merge_joined *joined, struct merge_spill *spill,
				    struct problem *problem)
{
	struct merge_cursor *cursors = merge_cursors_new(spill, false);
	struct heap heap = {0};
	enum kymo_status status;

	joined->spill = spill;
	status = cursors ? map_new(joined, spill, problem) : merge_no_memory(problem);
	if (status == KYMO_OK && !heap_init(&heap, cursors, spill->run_count))
		status = merge_no_memory(problem);
	if (status == KYMO_OK)
		status = join_heap(joined, &heap, problem);
	if (status == KYMO_OK)
		status = merge_cursors_check(cursors, spill->run_count, problem);
	free(heap.items);
	merge_cursors_free(cursors, spill->run_count);
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
