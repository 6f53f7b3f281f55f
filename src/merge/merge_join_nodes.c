/* Joins the call paths of runs, read in parallel: a path of the recording is complete when all runs
 * that have it were read. */
#include "merge/merge_join_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "merge/inputs/merge_cursors.h"
#include "merge/inputs/merge_problem.h"
#include "merge/merge_join.h"
#include "writer/recording_writer_events.h"

struct level {	       /* a node whose children follow, or all threads */
	size_t active; /* number of runs that have it: the first of the order */
	uint64_t handle;
	uint32_t thread;
	bool is_folded;
	uint64_t self_ns, inclusive_ns;
};

struct join {
	struct merge_joined *joined;
	struct merge_cursor *cursors;
	size_t *order; /* permutation of the runs: those of an inner level are the first of an outer
			  one's */
	struct level *levels;
	size_t depth, level_capacity;
	/* The node being joined. */
	struct merge_values values;
	struct merge_metric metrics[KYMO_METRICS_MAX];
	struct merge_thread_sums thread;
	/* By run: the recording's metric of each of its own; metric_count = none. */
	unsigned char *columns;
};

static uint64_t key_at(const struct join *join, size_t run)
{
	const struct merge_cursor *cursor = &join->cursors[run];

	return (uint64_t)merge_join_region(join->joined, run, cursor->node_region) << 1 |
	       cursor->is_folded;
}

/* Move the runs with the smallest node of this level to the front; returns their number. */
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

/* Add up the current nodes of these runs, and advance them. */
static void nodes_add_up(struct join *join, size_t count)
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

static void nodes_count_calls(struct merge_joined *joined, uint32_t region, uint64_t count)
{
	joined->call_count = merge_add_natural(joined->call_count, count);
	if (joined->is_c[region / 8] >> region % 8 & 1)
		joined->c_call_count = merge_add_natural(joined->c_call_count, count);
}

/* Zero for unknown values, as in the reader. */
static void nodes_make_metrics(const struct join *join, struct calltree_metric *metrics,
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
		.measuring_ns = join->thread.measuring_ns,
	};
	uint32_t thread = recording_writer_thread(joined->maker, joined->threads[index], 0, 0, 0,
						  join->thread.cpu_ns);

	recording_writer_thread_losses(joined->maker, thread, &sums);
	return thread;
}

/* Write the joined node, a child of this level's, and descend to its children. */
static bool nodes_write(struct join *join, uint64_t key, size_t active)
{
	const struct level *parent = &join->levels[join->depth];
	struct calltree_metric metrics[KYMO_METRICS_MAX];
	int64_t rests[KYMO_METRICS_MAX][2];
	const struct merge_values *values = &join->values;
	const struct recording_writer_exact exact = {
		.self_ns = values->self_ns,
		.squares = (uint64_t)values->squares,
		.squares_high = (uint64_t)(values->squares >> 64),
		.rests = (const int64_t(*)[2])rests,
	};
	struct recording_writer_node node = {
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
	nodes_make_metrics(join, metrics, rests);
	if (join->depth == 0)
		node.thread = make_thread(join, node.region);
	else
		nodes_count_calls(join->joined, node.region, values->count);
	handle = join->depth == 0 ? recording_writer_root(join->joined->maker, &node)
				  : recording_writer_node(join->joined->maker, &node);
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

	recording_writer_sum(join->joined->maker, level->handle,
			     level->is_folded ? level->self_ns : level->inclusive_ns);
	parent->inclusive_ns = merge_add(parent->inclusive_ns, level->inclusive_ns);
}

static bool join_all(struct join *join)
{
	for (;;) {
		uint64_t key;
		size_t count = gather(join, &key);

		if (count > 0) {
			nodes_add_up(join, count);
			if (!nodes_write(join, key, count))
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

	join->cursors = merge_cursors_new(spill, true);
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
		status = merge_no_memory(problem);
	if (status == KYMO_OK)
		status = merge_cursors_check(join.cursors, spill->run_count, problem);
	merge_cursors_free(join.cursors, spill->run_count);
	free(join.order);
	free(join.columns);
	free(join.levels);
	return status;
}
