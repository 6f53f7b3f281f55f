/* Merges paths by a table of (parent, region); children are then sorted, the largest first. */
#include "view/page_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/hashset.h"
#include "command/xalloc.h"
#include "model/profile/time_base.h"

struct merge {
	struct page_paths *paths;
	struct hashset index; /* hash_pair(parent, region) to position; the root is in no pair */
	uint32_t *positions;  /* of the nodes of the current tree */
	const struct page_metrics *metrics;
	size_t *columns; /* columns of the current tree's metrics */
};

static void page_paths_grow(struct page_paths *paths)
{
	paths->paths =
		xgrow(paths->paths, &paths->capacity, paths->capacity + 1, sizeof(*paths->paths));
	if (paths->metric_count > 0)
		paths->metrics = xreallocarray(paths->metrics, paths->capacity,
					       paths->metric_count * sizeof(*paths->metrics));
}

static uint32_t paths_add(struct page_paths *paths, uint32_t parent, uint32_t region)
{
	if (paths->count == paths->capacity)
		page_paths_grow(paths);
	if (paths->metric_count > 0)
		memset(paths->metrics + paths->count * paths->metric_count, 0,
		       paths->metric_count * sizeof(*paths->metrics));
	paths->paths[paths->count] = (struct page_path){
		.region = region,
		.parent = parent,
		.first_child = PAGE_PATHS_NONE,
		.next_sibling = PAGE_PATHS_NONE,
	};
	return (uint32_t)paths->count++;
}

static uint32_t find_path(struct merge *merge, uint32_t parent, uint32_t region)
{
	uint64_t hash = hash_pair(parent, region), found = hashset_find_key(&merge->index, hash);
	uint32_t made;

	if (found)
		return (uint32_t)found;
	made = paths_add(merge->paths, parent, region);
	xhashset_insert(&merge->index, hash, made);
	return made;
}

static void merge_metrics(struct merge *merge, const struct calltree *tree, uint32_t node,
			  uint32_t at)
{
	double *values = merge->paths->metrics + (size_t)at * merge->paths->metric_count;

	for (uint32_t i = 0; i < tree->metric_count; i++) {
		const struct calltree_metric *metric =
			&tree->metrics[(size_t)node * tree->metric_count + i];
		size_t column = merge->columns[i];

		if (column == PAGE_METRIC_NONE)
			continue;
		if (merge->metrics->info[column]->is_accumulated)
			values[column] += metric->sum;
		else if (metric->max > values[column])
			values[column] = metric->max;
	}
}

static void merge_node(struct merge *merge, const struct calltree *tree, const uint32_t *numbers,
		       uint32_t i, uint32_t thread)
{
	const struct calltree_node *node = &tree->nodes[i];
	struct page_path *path;
	uint32_t at = 0;

	merge->positions[i] = 0;
	if (thread != KYMO_NO_THREAD && node->thread != thread)
		return;
	if (node->parent != CALLTREE_NONE)
		at = find_path(merge, merge->positions[node->parent], numbers[node->region]);
	merge->positions[i] = at;
	path = &merge->paths->paths[at];
	path->count += node->parent == CALLTREE_NONE ? 0 : node->count;
	path->self_ns += node->self_ns;
	if (tree->metrics && merge->columns && at != 0)
		merge_metrics(merge, tree, i, at);
}

static void find_columns(struct merge *merge, const struct calltree *tree)
{
	if (merge->paths->metric_count == 0 || tree->metric_count == 0)
		return;
	merge->columns = xcalloc(tree->metric_count, sizeof(*merge->columns));
	for (uint32_t i = 0; i < tree->metric_count; i++)
		merge->columns[i] = page_metrics_find(merge->metrics, tree->metric_ids[i]);
}

static void merge_tree(struct merge *merge, const struct calltree *tree, const uint32_t *numbers,
		       uint32_t thread)
{
	merge->positions =
		xreallocarray(NULL, (size_t)tree->node_count + 1, sizeof(*merge->positions));
	find_columns(merge, tree);
	for (uint32_t i = 0; i < tree->node_count; i++)
		merge_node(merge, tree, numbers, i, thread);
	xfree(merge->positions);
	xfree(merge->columns);
	merge->columns = NULL;
}

/* Time outside regions is below the root like outermost regions, so that all adds up to the base of
 * percentages. */
static void paths_add_rest(struct page_paths *paths, uint32_t region, double ns)
{
	uint32_t at;

	if (ns < TIME_BASE_LEAST_NS)
		return;
	at = paths_add(paths, 0, region);
	paths->paths[at].self_ns = ns;
	paths->rest_count++;
}

static void paths_add_rests(struct page_paths *paths, const struct region_union *regions,
			    const struct time_base *base)
{
	paths->paths[0].self_ns = 0;
	paths_add_rest(paths, regions->outside, base->outside_ns);
	paths_add_rest(paths, regions->measuring, base->measuring_ns);
}

static void sum_totals(struct page_paths *paths)
{
	for (size_t i = paths->count; i-- > 0;) {
		struct page_path *path = &paths->paths[i];

		path->total_ns += path->self_ns;
		if (path->parent != PAGE_PATHS_NONE)
			paths->paths[path->parent].total_ns += path->total_ns;
	}
}

struct ordered {
	double total_ns;
	uint32_t at;
	bool is_rest;
};

static int paths_compare_totals(const void *left, const void *right)
{
	const struct ordered *a = left, *b = right;

	if (a->is_rest != b->is_rest)
		return a->is_rest ? 1 : -1;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Prepend the smallest first. */
static void link_children(struct page_paths *paths)
{
	struct ordered *order = xreallocarray(NULL, paths->count + 1, sizeof(*order));

	for (size_t i = 0; i < paths->count; i++)
		order[i] = (struct ordered){paths->paths[i].total_ns, (uint32_t)i,
					    i >= paths->count - paths->rest_count};
	qsort(order, paths->count, sizeof(*order), paths_compare_totals);
	for (size_t i = paths->count; i-- > 0;) {
		struct page_path *path = &paths->paths[order[i].at], *parent;

		if (path->parent == PAGE_PATHS_NONE)
			continue;
		parent = &paths->paths[path->parent];
		path->next_sibling = parent->first_child;
		parent->first_child = order[i].at;
	}
	xfree(order);
}

struct page_paths page_paths_new(const struct calltree *const *trees, size_t tree_count,
				 const struct region_union *regions,
				 const struct page_metrics *metrics, size_t only, uint32_t thread)
{
	struct page_paths paths = {.metric_count = metrics ? metrics->count : 0};
	struct merge merge = {.paths = &paths, .metrics = metrics};
	struct time_base base = thread == KYMO_NO_THREAD ? time_base_of(trees, tree_count, thread)
							 : time_base_of(trees + only, 1, thread);

	paths_add(&paths, PAGE_PATHS_NONE, 0);
	for (size_t i = 0; i < tree_count; i++) {
		if (thread == KYMO_NO_THREAD || i == only)
			merge_tree(&merge, trees[i], regions->numbers[i], thread);
	}
	hashset_release(&merge.index);
	paths_add_rests(&paths, regions, &base);
	sum_totals(&paths);
	link_children(&paths);
	return paths;
}

void page_paths_release(struct page_paths *paths)
{
	xfree(paths->paths);
	xfree(paths->metrics);
	memset(paths, 0, sizeof(*paths));
}
