/* Adds a recording that is merged already: its nodes as the file has them, since the reader's
 * doubles would round exact sums.
 *
 * Invalid nodes are left out as by the reader: parents come before their children, and roots are
 * those that threads refer to. */
#include "merge/merge_add_merged.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partitionpoint.h"
#include "merge/inputs/merge_problem.h"
#include "merge/merge_state.h"
#include "model/recording/chunks.h"
#include "model/recording/node_exact.h"
#include "model/recording/recording_open.h"
#include "model/recording/recording_parts.h"

#define CHECK_EVERY	    1024u
#define DROP_PAGES_INTERVAL (256 * CHECK_EVERY)
#define DAMAGED		    (MERGE_NO_NODE - 1) /* replaces the index of a node in the tree */

struct root {
	uint32_t node, thread;
};

struct adding {
	struct merge_state *state;
	const struct recording *recording;
	const struct chunk *chunks;
	size_t chunk_count;
	uint64_t *first;    /* by chunk: number of its first node; plus one at the end */
	uint32_t *at;	    /* by node: its node in the tree */
	struct root *roots; /* by node */
	size_t root_count;
	uint32_t *regions;
	uint32_t *path;
	size_t path_capacity;
	uint32_t columns[KYMO_METRICS_MAX];
	uint64_t dropped;
	struct problem *problem;
};

static void merged_reset_indexes(uint32_t *numbers, size_t count)
{
	memset(numbers, 0xff, count * sizeof(*numbers));
}

static bool count_nodes(struct adding *adding)
{
	uint64_t count = 0;

	adding->chunks = chunks_of(adding->recording, KYMO_CHUNK_NODES, &adding->chunk_count);
	adding->first = calloc(adding->chunk_count + 1, sizeof(*adding->first));
	if (!adding->first)
		return false;
	for (size_t i = 0; i < adding->chunk_count; i++) {
		adding->first[i] = count;
		count += adding->chunks[i].bytes / adding->chunks[i].record_size;
	}
	adding->first[adding->chunk_count] = count;
	if (count >= DAMAGED)
		return false;
	adding->at = malloc((count + 1) * sizeof(*adding->at));
	if (adding->at)
		merged_reset_indexes(adding->at, count);
	return adding->at != NULL;
}

static uint32_t number_at(const struct adding *adding, uint32_t reference)
{
	uint64_t offset = (uint64_t)reference * KYMO_NODE_UNIT, record;
	const struct chunk *chunk =
		reference ? chunk_holding(adding->recording, KYMO_CHUNK_NODES, offset) : NULL;
	size_t index;

	if (!chunk || (offset - chunk->offset) % chunk->record_size != 0)
		return MERGE_NO_NODE;
	index = (size_t)(chunk - adding->chunks);
	record = adding->first[index] + (offset - chunk->offset) / chunk->record_size;
	return record < adding->first[index + 1] ? (uint32_t)record : MERGE_NO_NODE;
}

static size_t chunk_of(const struct adding *adding, uint32_t number)
{
	size_t after = partition_point(adding->chunk_count, i, adding->first[i] <= number);

	return after ? after - 1 : 0;
}

static const struct kymo_node *merged_node_of(const struct adding *adding, uint32_t number,
					      const struct chunk **chunk_out)
{
	size_t index = chunk_of(adding, number);
	const struct chunk *chunk = &adding->chunks[index];

	*chunk_out = chunk;
	return (const struct kymo_node *)(const void *)(adding->recording->data + chunk->offset +
							(number - adding->first[index]) *
								chunk->record_size);
}

/* The thread whose root it is; KYMO_NO_THREAD. */
static uint32_t merged_thread_of(const struct adding *adding, uint32_t number)
{
	size_t low = partition_point(adding->root_count, i, adding->roots[i].node < number);

	return low < adding->root_count && adding->roots[low].node == number
		       ? adding->roots[low].thread
		       : KYMO_NO_THREAD;
}

static uint32_t merged_region_of(struct adding *adding, uint32_t id)
{
	uint32_t *region = &adding->regions[id];

	if (*region == MERGE_NO_REGION) {
		struct merge_region from = merge_region_of(&adding->recording->regions[id]);

		*region = merge_regions_add(&adding->state->tree.regions, &from);
	}
	return *region;
}

/* The number of the parent; MERGE_NO_NODE for a root, the number itself for a damaged node. */
static uint32_t merged_parent_of(const struct adding *adding, uint32_t number,
				 const struct kymo_node *node)
{
	uint32_t parent;

	if (node->parent == 0)
		return MERGE_NO_NODE;
	parent = number_at(adding, node->parent);
	return parent < number && node->region < adding->recording->region_count ? parent : number;
}

/* Add it to the tree, below an existing node. */
static bool merged_add_step(struct adding *adding, uint32_t number, uint32_t parent,
			    const struct kymo_node *node)
{
	struct merge_tree *tree = &adding->state->tree;
	uint32_t region;

	if (parent == MERGE_NO_NODE) {
		struct merge_region from;
		uint32_t thread = merged_thread_of(adding, number);

		if (thread == KYMO_NO_THREAD) {
			adding->at[number] = DAMAGED;
			return true;
		}
		from = merge_region_of_thread(&adding->recording->threads[thread]);
		region = merge_regions_add(&tree->regions, &from);
	} else if (parent == number || adding->at[parent] == DAMAGED) {
		adding->at[number] = DAMAGED;
		return true;
	} else {
		region = merged_region_of(adding, node->region);
	}
	if (region == MERGE_NO_REGION)
		return false;
	adding->at[number] =
		merge_tree_node(tree, parent == MERGE_NO_NODE ? MERGE_NO_NODE : adding->at[parent],
				region, parent != MERGE_NO_NODE && node->flags & KYMO_NODE_FOLDED);
	return adding->at[number] != MERGE_NO_NODE;
}

/* Nodes are added parents first, so that several must be added only after the tree was spilled. */
static bool merged_add_path(struct adding *adding, uint32_t number)
{
	size_t length = 0;
	const struct chunk *chunk;

	while (adding->at[number] == MERGE_NO_NODE) {
		uint32_t *path =
			array_grow(adding->path, &adding->path_capacity, length + 1, sizeof(*path));
		uint32_t parent =
			merged_parent_of(adding, number, merged_node_of(adding, number, &chunk));

		if (!path)
			return false;
		adding->path = path;
		path[length++] = number;
		if (parent == MERGE_NO_NODE || parent == number)
			break;
		number = parent;
	}
	while (length > 0) {
		const struct kymo_node *node =
			merged_node_of(adding, adding->path[--length], &chunk);

		number = adding->path[length];
		if (!merged_add_step(adding, number, merged_parent_of(adding, number, node), node))
			return false;
	}
	return true;
}

static struct merge_values merged_values_of(const struct kymo_node *node,
					    const struct kymo_node_exact *exact)
{
	struct merge_values values = merge_values_none;

	values.count = node->count;
	values.self_ns = exact->self;
	if (exact->closed && node->min <= node->max) {
		values.closed = exact->closed;
		values.min_ns = node->min;
		values.max_ns = node->max;
		values.squares = (merge_natural)exact->squares_high << 64 | exact->squares;
	}
	return values;
}

static merge_whole exact_of(double nearest, int64_t rest)
{
	return merge_clamp(merge_whole_of(nearest) + rest);
}

static void merged_add_metrics(struct adding *adding, uint32_t number, const struct kymo_node *node)
{
	uint32_t count = adding->recording->header.metric_count;
	const struct kymo_node_metric *blocks = (const struct kymo_node_metric *)(node + 1);
	struct merge_metric *to = merge_tree_metrics(&adding->state->tree, adding->at[number]);

	for (uint32_t k = 0; k < count; k++) {
		struct merge_metric metric = {
			.count = blocks[k].count,
			.sum = exact_of(blocks[k].sum, blocks[k].sum_rest),
			.squares = exact_of(blocks[k].sum_squares, blocks[k].squares_rest),
			.min = 1,
		};

		if (adding->columns[k] == KYMO_METRICS_MAX)
			continue;
		if (blocks[k].count && isfinite(blocks[k].min) && isfinite(blocks[k].max)) {
			metric.min = blocks[k].min + 0.0;
			metric.max = blocks[k].max + 0.0;
		}
		merge_metric_add(&to[adding->columns[k]], &metric);
	}
}

static bool merged_add_node(struct adding *adding, uint32_t number)
{
	const struct chunk *chunk;
	const struct kymo_node *node = merged_node_of(adding, number, &chunk);
	const struct kymo_node_exact *exact = node_exact(adding->recording, chunk, node);
	struct merge_values values;

	if (!merged_add_path(adding, number))
		return false;
	if (adding->at[number] == DAMAGED || !exact) {
		adding->dropped++;
		adding->at[number] = DAMAGED;
		return true;
	}
	values = merged_values_of(node, exact);
	merge_values_add(&adding->state->tree.nodes[adding->at[number]].values, &values);
	merged_add_metrics(adding, number, node);
	return node->parent != 0 ||
	       merge_tree_add_thread(&adding->state->tree, adding->at[number],
				     &adding->recording->threads[merged_thread_of(adding, number)]);
}

/* Spill the tree if it is too large, and reset indexes into it.  Also drop, now and then, the pages
 * of the recording, which may be far larger than the memory. */
static enum kymo_status merged_reserve(struct adding *adding, uint32_t number)
{
	enum kymo_status status;

	if (number % DROP_PAGES_INTERVAL == 0)
		recording_drop_pages(adding->recording);
	if (!merge_state_is_full(adding->state))
		return KYMO_OK;
	status = merge_state_spill(adding->state, adding->problem);
	for (uint64_t i = 0; i < adding->first[adding->chunk_count]; i++)
		if (adding->at[i] != DAMAGED)
			adding->at[i] = MERGE_NO_NODE;
	merged_reset_indexes(adding->regions, adding->recording->region_count);
	return status;
}

static enum kymo_status merged_add_nodes(struct adding *adding)
{
	uint64_t count = adding->first[adding->chunk_count];
	enum kymo_status status = KYMO_OK;

	for (uint32_t i = 0; i < count && status == KYMO_OK; i++) {
		if (i % CHECK_EVERY == 0)
			status = merged_reserve(adding, i);
		if (status == KYMO_OK && !merged_add_node(adding, i))
			status = merge_no_memory(adding->problem);
	}
	return status;
}

static enum kymo_status merged_add_shares(struct adding *adding, uint32_t first_part)
{
	struct share_position position = {0};
	struct recording_share share;
	enum kymo_status status = KYMO_OK;

	for (uint32_t i = 0;
	     status == KYMO_OK && recording_share(adding->recording, &position, &share); i++) {
		struct merge_share to = {.part = first_part + share.part,
					 .count = share.count,
					 .self_ns = share.self_ns,
					 .total_ns = share.total_ns,
					 .work_ns = share.work_ns,
					 .work_total_ns = share.work_total_ns};

		if (i % CHECK_EVERY == 0)
			status = merged_reserve(adding, i);
		if (status < 0)
			return status;
		to.region = merged_region_of(adding, share.region);
		if (to.region == MERGE_NO_REGION || !merge_parts_share(&adding->state->parts, &to))
			status = merge_no_memory(adding->problem);
	}
	return status;
}

static enum kymo_status merged_add_parts(struct adding *adding)
{
	const struct recording *recording = adding->recording;
	uint32_t first = adding->state->parts.count;

	for (uint32_t i = 0; i < recording->part_count; i++)
		if (merge_parts_add(&adding->state->parts, &recording->parts[i]) == UINT32_MAX)
			return merge_no_memory(adding->problem);
	return merged_add_shares(adding, first);
}

static int compare_roots(const void *left, const void *right)
{
	const struct root *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static bool adding_init(struct adding *adding)
{
	const struct recording *recording = adding->recording;

	adding->regions = malloc(recording->region_count * sizeof(*adding->regions));
	adding->roots = malloc((recording->thread_count + (size_t)1) * sizeof(*adding->roots));
	if (!adding->regions || !adding->roots || !count_nodes(adding))
		return false;
	merged_reset_indexes(adding->regions, recording->region_count);
	for (uint32_t i = 0; i < recording->thread_count; i++) {
		uint32_t node = number_at(adding, recording->threads[i].root_node);

		if (node != MERGE_NO_NODE)
			adding->roots[adding->root_count++] = (struct root){node, i};
	}
	if (adding->root_count > 1)
		qsort(adding->roots, adding->root_count, sizeof(*adding->roots), compare_roots);
	return true;
}

enum kymo_status merge_state_add_merged(struct merge_state *state,
					const struct recording *recording, struct problem *problem)
{
	struct adding adding = {.state = state, .recording = recording, .problem = problem};
	enum kymo_status status = adding_init(&adding) ? KYMO_OK : merge_no_memory(problem);

	if (status == KYMO_OK)
		status = merge_state_metrics(state, recording->header.metrics,
					     recording->header.metric_count, adding.columns,
					     problem);
	if (status == KYMO_OK)
		status = merged_add_nodes(&adding);
	if (status == KYMO_OK)
		status = merged_add_parts(&adding);
	if (adding.dropped)
		merge_notes_add(&state->notes, KYMO_NOTE_LOSS, "recording",
				"damaged call paths were left out", 1, state->serial);
	free(adding.first);
	free(adding.at);
	free(adding.roots);
	free(adding.regions);
	free(adding.path);
	return status;
}
