/* The tree that recordings are added to while it fits into memory.
 *
 * A node is a call path below a thread name.  Sums are whole numbers, so that the order of adding
 * does not matter.  One thread; uses malloc. */
#ifndef KYMO_MERGE_TREE_H
#define KYMO_MERGE_TREE_H

#include "merge/merge_exact.h"
#include "merge/merge_regions.h"

#define MERGE_NO_NODE UINT32_MAX

struct merge_values { /* of a call path */
	uint64_t count, closed;
	uint64_t self_ns;
	uint64_t min_ns, max_ns; /* of closed visits: min > max = not known */
	merge_natural squares;
};

struct merge_metric {
	uint64_t count;
	double min, max; /* min > max = not known */
	merge_whole sum, squares;
};

struct merge_thread_sums { /* of the threads of a name */
	uint64_t cpu_ns, lost_events, folded, resynced, misused_ends, never_ended, measuring_ns;
};

struct merge_node {
	uint32_t region;
	uint32_t first_child, next_sibling; /* MERGE_NO_NODE = none; unsorted */
	bool is_folded;
	struct merge_values values;
};

struct merge_tree {
	struct merge_regions regions;
	struct merge_node *nodes;
	uint32_t node_count;
	size_t node_capacity;
	uint32_t first_root;
	struct hashset by_path;
	struct merge_metric *metrics; /* node_count rows of metric_count */
	size_t metric_capacity;	      /* in rows */
	uint32_t metric_ids[KYMO_METRICS_MAX];
	uint32_t metric_count;
	/* Of the roots, by the regions that are threads; the others have none. */
	struct merge_thread_sums *thread_sums;
	size_t thread_capacity;
};

extern const struct merge_values merge_values_none;
extern const struct merge_metric merge_metric_none;
void merge_values_add(struct merge_values *to, const struct merge_values *from);
void merge_metric_add(struct merge_metric *to, const struct merge_metric *from);
void merge_thread_add(struct merge_thread_sums *to, const struct merge_thread_sums *from);

void merge_tree_init(struct merge_tree *tree);
/* Approximate memory use. */
uint64_t merge_tree_bytes(const struct merge_tree *tree);
/* The node of a path, found or added; parent MERGE_NO_NODE: a thread.  MERGE_NO_NODE = no
 * memory. */
uint32_t merge_tree_node(struct merge_tree *tree, uint32_t parent, uint32_t region, bool is_folded);
/* The column of a metric, found or added.  Added only while there are no nodes; else, and if there
 * are too many, metric_count. */
uint32_t merge_tree_metric(struct merge_tree *tree, uint32_t id);
static inline struct merge_metric *merge_tree_metrics(const struct merge_tree *tree, uint32_t node)
{
	return tree->metrics ? tree->metrics + (size_t)node * tree->metric_count : NULL;
}
/* The sums of a root's threads; NULL = no memory. */
struct merge_thread_sums *merge_tree_thread(struct merge_tree *tree, uint32_t root);
/* Add the sums of one thread; false = no memory. */
bool merge_tree_add_thread(struct merge_tree *tree, uint32_t root, const struct thread *thread);
/* Reset to the empty tree. */
void merge_tree_release(struct merge_tree *tree);

#endif
