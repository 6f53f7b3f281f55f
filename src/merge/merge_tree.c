/* Nodes found by their parent and region; children in a list that is sorted when the tree is
 * written. */
#include "merge/merge_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

const struct merge_values merge_values_none = {.min_ns = UINT64_MAX};
const struct merge_metric merge_metric_none = {.min = 1, .max = 0};

void merge_values_add(struct merge_values *to, const struct merge_values *from)
{
	to->count = merge_add(to->count, from->count);
	to->closed = merge_add(to->closed, from->closed);
	to->self_ns = merge_add(to->self_ns, from->self_ns);
	if (from->min_ns <= from->max_ns) {
		bool is_first = to->min_ns > to->max_ns;

		if (is_first || from->min_ns < to->min_ns)
			to->min_ns = from->min_ns;
		if (is_first || from->max_ns > to->max_ns)
			to->max_ns = from->max_ns;
	}
	to->squares = merge_add_natural(to->squares, from->squares);
}

void merge_metric_add(struct merge_metric *to, const struct merge_metric *from)
{
	to->count = merge_add(to->count, from->count);
	to->sum = merge_clamp(to->sum + from->sum);
	to->squares = merge_clamp(to->squares + from->squares);
	if (from->min <= from->max) {
		bool is_first = !(to->min <= to->max);

		if (is_first || from->min < to->min)
			to->min = from->min;
		if (is_first || from->max > to->max)
			to->max = from->max;
	}
}

void merge_thread_add(struct merge_thread_sums *to, const struct merge_thread_sums *from)
{
	to->cpu_ns = merge_add(to->cpu_ns, from->cpu_ns);
	to->lost_events = merge_add(to->lost_events, from->lost_events);
	to->folded = merge_add(to->folded, from->folded);
	to->resynced = merge_add(to->resynced, from->resynced);
	to->misused_ends = merge_add(to->misused_ends, from->misused_ends);
	to->never_ended = merge_add(to->never_ended, from->never_ended);
	to->measuring_ns = merge_add(to->measuring_ns, from->measuring_ns);
}

void merge_tree_init(struct merge_tree *tree)
{
	*tree = (struct merge_tree){.first_root = MERGE_NO_NODE};
}

uint64_t merge_tree_bytes(const struct merge_tree *tree)
{
	/* Includes the arrays sorted while writing; a growing hash table exists twice for a
	 * while. */
	return merge_regions_bytes(&tree->regions) + 2 * sizeof(uint32_t) * tree->regions.count +
	       tree->node_capacity * sizeof(*tree->nodes) +
	       2 * tree->by_path.capacity * sizeof(struct hashset_slot) +
	       tree->metric_capacity * tree->metric_count * sizeof(*tree->metrics) +
	       tree->thread_capacity * sizeof(*tree->thread_sums);
}

uint32_t merge_tree_metric(struct merge_tree *tree, uint32_t id)
{
	uint32_t at = 0;

	while (at < tree->metric_count && tree->metric_ids[at] != id)
		at++;
	if (at < tree->metric_count || tree->node_count > 0 || at == KYMO_METRICS_MAX)
		return at;
	tree->metric_ids[tree->metric_count++] = id;
	return at;
}

/* Reserve one more node. */
static bool tree_reserve(struct merge_tree *tree)
{
	size_t need = tree->node_count + (size_t)1;
	struct merge_node *nodes =
		array_grow(tree->nodes, &tree->node_capacity, need, sizeof(*nodes));
	struct merge_metric *metrics;

	if (!nodes || tree->node_count == MERGE_NO_NODE - 1)
		return false;
	tree->nodes = nodes;
	if (!tree->metric_count)
		return true;
	metrics = array_grow(tree->metrics, &tree->metric_capacity, need,
			     tree->metric_count * sizeof(*metrics));
	if (metrics)
		tree->metrics = metrics;
	return metrics != NULL;
}

uint32_t merge_tree_node(struct merge_tree *tree, uint32_t parent, uint32_t region, bool is_folded)
{
	uint64_t hash = hash_pair(parent, region << 1 | is_folded);
	uint64_t value = hashset_find_key(&tree->by_path, hash);
	uint32_t *first, index = tree->node_count;

	if (value)
		return (uint32_t)(value - 1);
	if (!tree_reserve(tree) || !hashset_insert(&tree->by_path, hash, index + UINT64_C(1)))
		return MERGE_NO_NODE;
	first = parent == MERGE_NO_NODE ? &tree->first_root : &tree->nodes[parent].first_child;
	tree->nodes[index] = (struct merge_node){
		.region = region,
		.first_child = MERGE_NO_NODE,
		.next_sibling = *first,
		.is_folded = is_folded,
		.values = merge_values_none,
	};
	*first = index;
	tree->node_count++;
	for (uint32_t k = 0; k < tree->metric_count; k++)
		merge_tree_metrics(tree, index)[k] = merge_metric_none;
	return index;
}

struct merge_thread_sums *merge_tree_thread(struct merge_tree *tree, uint32_t root)
{
	size_t before = tree->thread_capacity;
	uint32_t region = tree->nodes[root].region;
	struct merge_thread_sums *sums = array_grow(tree->thread_sums, &tree->thread_capacity,
						    region + (size_t)1, sizeof(*sums));

	if (!sums)
		return NULL;
	tree->thread_sums = sums;
	memset(sums + before, 0, (tree->thread_capacity - before) * sizeof(*sums));
	return &sums[region];
}

bool merge_tree_add_thread(struct merge_tree *tree, uint32_t root, const struct thread *thread)
{
	const struct merge_thread_sums from = {
		.cpu_ns = thread->cpu_ns,
		.lost_events = thread->lost_events,
		.folded = thread->folded,
		.resynced = thread->resynced,
		.misused_ends = thread->misused_ends,
		.never_ended = thread->never_ended,
		.measuring_ns = thread->measuring_ns,
	};
	struct merge_thread_sums *to = merge_tree_thread(tree, root);

	if (to)
		merge_thread_add(to, &from);
	return to != NULL;
}

void merge_tree_release(struct merge_tree *tree)
{
	merge_regions_release(&tree->regions);
	hashset_release(&tree->by_path);
	free(tree->nodes);
	free(tree->metrics);
	free(tree->thread_sums);
	merge_tree_init(tree);
}
