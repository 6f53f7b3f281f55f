/* The call-path tree, finished: children in order, self times, threads at the nodes that
 * created them.
 * Nodes come parents first, so one pass backwards sees every child before its parent. */
#include "analysis/calltree.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/calltree_build.h"
#include "analysis/chunks.h"

/* Inclusive time covers the children: a child that was still running when the parent was
 * read, or the rounding of clocks, must not make the parent's own time negative. */
static void finish_times(struct calltree *tree)
{
	for (uint32_t i = 0; i < tree->node_count; i++)
		tree->nodes[i].self_ns = 0; /* the children's sum, until the node's turn */
	for (uint32_t i = tree->node_count; i-- > 0;) {
		struct calltree_node *node = &tree->nodes[i];
		double children = node->self_ns;

		if (node->is_folded)
			node->sum_ns += children; /* it was the node's own time */
		else if (node->sum_ns < children)
			node->sum_ns = children;
		node->self_ns = node->sum_ns - children;
		if (node->parent != CALLTREE_NONE)
			tree->nodes[node->parent].self_ns += node->sum_ns;
	}
}

static void finish_links(struct calltree *tree)
{
	for (uint32_t i = 0; i < tree->node_count; i++) {
		struct calltree_node *node = &tree->nodes[i];

		node->first_child = CALLTREE_NONE;
		node->next_sibling = CALLTREE_NONE;
		node->creates_thread = CALLTREE_NONE;
		node->depth =
			node->parent == CALLTREE_NONE ? 0 : tree->nodes[node->parent].depth + 1;
	}
	for (uint32_t i = tree->node_count; i-- > 0;) {
		struct calltree_node *node = &tree->nodes[i];

		if (node->parent == CALLTREE_NONE)
			continue;
		node->next_sibling = tree->nodes[node->parent].first_child;
		tree->nodes[node->parent].first_child = i;
	}
}

/* The node under which a thread is shown, when there is one in an earlier thread: only
 * so can following these links never lead in a circle. */
static uint32_t creator_of(const struct calltree *tree, const uint32_t *creators, uint32_t number)
{
	const struct thread *thread = &tree->recording->threads[number];
	uint32_t creator = creators[number];

	if (creator == CALLTREE_NONE && thread->parent < number)
		creator = tree->thread_root[thread->parent];
	if (creator != CALLTREE_NONE && tree->nodes[creator].thread >= number)
		return CALLTREE_NONE;
	return creator;
}

static void finish_threads(struct calltree *tree, const uint32_t *creators)
{
	for (uint32_t i = tree->recording->thread_count; i-- > 0;) {
		uint32_t creator = creator_of(tree, creators, i);

		tree->thread_next[i] = CALLTREE_NONE;
		if (creator == CALLTREE_NONE || tree->thread_root[i] == CALLTREE_NONE)
			continue;
		tree->thread_next[i] = tree->nodes[creator].creates_thread;
		tree->nodes[creator].creates_thread = i;
	}
}

static void finish_counts(struct calltree *tree)
{
	const struct region *regions = tree->recording->regions;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		if (node->parent == CALLTREE_NONE)
			continue;
		tree->call_count += node->count;
		if (regions[node->region].kind == KYMO_REGION_PYTHON_C ||
		    regions[node->region].kind == KYMO_REGION_PYTHON_METHOD)
			tree->c_call_count += node->count;
	}
}

static uint32_t *new_indexes(uint32_t count)
{
	uint32_t *indexes = malloc((count ? count : 1) * sizeof(*indexes));

	for (uint32_t i = 0; indexes && i < count; i++)
		indexes[i] = CALLTREE_NONE;
	return indexes;
}

/* Every thread has a root node even in a recording that keeps only a trace. */
static bool has_trees(const struct recording *recording)
{
	size_t node_chunks, event_chunks;

	chunks_of(recording, KYMO_CHUNK_NODES, &node_chunks);
	chunks_of(recording, KYMO_CHUNK_EVENTS, &event_chunks);
	return node_chunks &&
	       ((recording->header.flags & KYMO_HEADER_PROFILE) || event_chunks == 0);
}

void calltree_finish(struct calltree *tree, const uint32_t *creators)
{
	finish_links(tree);
	finish_threads(tree, creators);
	finish_counts(tree);
}

/* What was noted where the tree was made; else as many as there are, which is the most. */
static double effective_count(const struct calltree *tree)
{
	const char *text = recording_note(tree->recording, KYMO_NOTE_INFO, CALLTREE_EFFECTIVE_NOTE);
	double count = text ? strtod(text, NULL) : 0;

	if (isfinite(count) && count > 0)
		return count;
	count = 1;
	for (uint32_t i = 0; i < tree->node_count; i++)
		if (tree->nodes[i].depth == 1)
			count += (double)tree->nodes[i].count;
	return count;
}

static enum kymo_status calltree_build(struct calltree *tree, uint32_t *creators)
{
	enum kymo_status status;

	tree->is_replayed = !has_trees(tree->recording);
	status = tree->is_replayed ? calltree_from_trace(tree, creators)
				   : calltree_from_nodes(tree, creators);
	if (status != KYMO_OK)
		return status;
	finish_times(tree);
	calltree_finish(tree, creators);
	if (tree->recording->header.flags & KYMO_HEADER_SAMPLED)
		tree->effective_count = effective_count(tree);
	return KYMO_OK;
}

struct calltree *calltree_alloc(const struct recording *recording)
{
	struct calltree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return NULL;
	tree->recording = recording;
	tree->metric_ids = recording->header.metrics;
	tree->metric_count = recording->header.metric_count;
	tree->thread_root = new_indexes(recording->thread_count);
	tree->thread_next = new_indexes(recording->thread_count);
	if (tree->thread_root && tree->thread_next)
		return tree;
	calltree_free(tree);
	return NULL;
}

enum kymo_status calltree_new(const struct recording *recording, struct calltree **out,
			      struct problem *problem)
{
	struct calltree *tree = calltree_alloc(recording);
	uint32_t *creators = new_indexes(recording->thread_count);
	enum kymo_status status = KYMO_MEMORY;

	if (tree && creators)
		status = calltree_build(tree, creators);
	free(creators);
	if (status != KYMO_OK) {
		calltree_free(tree);
		return problem_set(problem, status, "no memory for the call paths of '%s'",
				   recording->path);
	}
	*out = tree;
	return KYMO_OK;
}

void calltree_free(struct calltree *tree)
{
	if (!tree)
		return;
	free(tree->nodes);
	free(tree->thread_root);
	free(tree->thread_next);
	free(tree->metrics);
	free(tree);
}
