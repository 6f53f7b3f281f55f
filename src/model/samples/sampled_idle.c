/* Folds idle threads: each keeps its root and its first call, which stands for all of them. Nodes
 * move towards the front; parents stay before children. */
#include "model/samples/sampled_idle.h"

#include <stdlib.h>
#include <string.h>

#include "model/samples/sampled_tree.h"
#include "model/tree/build/calltree_build.h"

struct folding {
	struct calltree *tree;
	uint32_t region; /* that replaces the calls of a thread */
	uint32_t *at;	 /* by node: its new index; CALLTREE_NONE = removed */
	uint32_t *creators;
};

static bool idle_is(const struct calltree *tree, uint32_t thread)
{
	return tree->recording->threads[thread].flags & KYMO_THREAD_IDLE;
}

static bool has_idle(const struct calltree *tree)
{
	for (uint32_t i = 0; i < tree->recording->thread_count; i++)
		if (idle_is(tree, i) && tree->thread_root[i] != CALLTREE_NONE)
			return true;
	return false;
}

static bool idle_is_kept(const struct calltree *tree, uint32_t index)
{
	const struct calltree_node *node = &tree->nodes[index];
	uint32_t root = tree->thread_root[node->thread];

	return !idle_is(tree, node->thread) || index == root ||
	       (root != CALLTREE_NONE && index == tree->nodes[root].first_child);
}

/* The call gets all of the thread's time; its root has already moved. */
static void idle_take_all(const struct folding *folding, uint32_t index)
{
	struct calltree *tree = folding->tree;
	struct calltree_node *node = &tree->nodes[index];
	const struct calltree_node *root = &tree->nodes[node->parent];
	uint32_t thread = node->thread, parent = node->parent;

	*node = *root;
	node->thread = thread;
	node->parent = parent;
	node->region = folding->region;
	node->self_ns = node->sum_ns;
	if (tree->metrics)
		memcpy(&tree->metrics[(size_t)index * tree->metric_count],
		       &tree->metrics[(size_t)parent * tree->metric_count],
		       tree->metric_count * sizeof(*tree->metrics));
}

static void move_node(struct folding *folding, uint32_t from, uint32_t to)
{
	struct calltree *tree = folding->tree;
	size_t row = tree->metric_count;
	struct calltree_node *node = &tree->nodes[to];

	*node = tree->nodes[from];
	if (tree->metrics && from != to)
		memcpy(&tree->metrics[to * row], &tree->metrics[from * row],
		       row * sizeof(*tree->metrics));
	folding->at[from] = to;
	if (node->parent == CALLTREE_NONE)
		return;
	node->parent = folding->at[node->parent];
	if (idle_is(tree, node->thread))
		idle_take_all(folding, to);
}

static void idle_fold(struct folding *folding)
{
	struct calltree *tree = folding->tree;
	uint32_t kept = 0;

	/* Determined from the links, which moving invalidates. */
	for (uint32_t i = 0; i < tree->node_count; i++)
		folding->at[i] = idle_is_kept(tree, i) ? 0 : CALLTREE_NONE;
	for (uint32_t i = 0; i < tree->node_count; i++)
		if (folding->at[i] != CALLTREE_NONE)
			move_node(folding, i, kept++);
	tree->node_count = kept;
	for (uint32_t i = 0; i < tree->recording->thread_count; i++)
		if (tree->thread_root[i] != CALLTREE_NONE)
			tree->thread_root[i] = folding->at[tree->thread_root[i]];
}

static void link_anew(struct folding *folding)
{
	struct calltree *tree = folding->tree;
	uint64_t calls = tree->call_count, c_calls = tree->c_call_count,
		 function_calls = tree->function_call_count;

	memset(folding->creators, 0xff, tree->recording->thread_count * sizeof(*folding->creators));
	calltree_finish(tree, folding->creators);
	tree->call_count = calls;
	tree->c_call_count = c_calls;
	tree->function_call_count = function_calls;
}

void sampled_idle_fold(struct calltree *tree)
{
	const struct region region = {.kind = KYMO_REGION_NATIVE, .name = SAMPLED_IDLE_THREADS};
	struct folding folding = {.tree = tree};

	if (!has_idle(tree))
		return;
	folding.at = malloc(((size_t)tree->node_count + 1) * sizeof(*folding.at));
	folding.creators =
		malloc(((size_t)tree->recording->thread_count + 1) * sizeof(*folding.creators));
	if (folding.at && folding.creators)
		folding.region = recording_add_region((struct recording *)tree->recording, &region);
	if (folding.region) {
		idle_fold(&folding);
		link_anew(&folding);
		for (uint32_t i = 0; i < tree->recording->part_count; i++)
			tree->idle_thread_count += tree->recording->parts[i].is_idle;
	}
	free(folding.at);
	free(folding.creators);
}
