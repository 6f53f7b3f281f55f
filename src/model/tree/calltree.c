/* The call-path tree of a recording: from which of its records it is made, in which order, and self
 * times. Nodes come parents first, so one pass backwards sees every child before its parent. */
#include "model/tree/calltree.h"

#include <math.h>
#include <stdlib.h>

#include "model/recording/chunks.h"
#include "model/recording/recording_open.h"
#include "model/tree/build/calltree_build.h"
#include "model/tree/build/calltree_counts.h"
#include "model/tree/build/calltree_estimates.h"
#include "model/tree/build/calltree_function_events.h"
#include "model/tree/build/calltree_measuring.h"
#include "model/tree/build/calltree_nest.h"
#include "model/tree/build/calltree_nodes.h"
#include "model/tree/build/calltree_positions.h"
#include "model/tree/build/calltree_replay.h"
#include "model/tree/build/calltree_throttled.h"

/* Inclusive time covers the children: a child that was still running when the parent was
 * read, or the rounding of clocks, must not make the parent's own time negative. */
static void finish_times(struct calltree *tree)
{
	for (uint32_t i = 0; i < tree->node_count; i++)
		tree->nodes[i].self_ns = 0; /* the children's sum, until the node is processed */
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

/* Every thread has a root node even in a recording that keeps only a trace. */
static bool has_trees(const struct recording *recording)
{
	size_t node_chunks, event_chunks;

	chunks_of(recording, KYMO_CHUNK_NODES, &node_chunks);
	chunks_of(recording, KYMO_CHUNK_EVENTS, &event_chunks);
	return node_chunks &&
	       ((recording->header.flags & KYMO_HEADER_PROFILE) || event_chunks == 0);
}

/* As stored where the tree was made; else the number of samples, which is an upper bound. */
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

static bool has_chunks(const struct recording *recording, enum kymo_chunk_type type)
{
	size_t count;

	chunks_of(recording, type, &count);
	return count > 0;
}

/* Records of instrumented functions are merged with the trace by time, but with a tree only as a
 * whole. */
static enum kymo_status calltree_collect(struct calltree *tree, uint32_t *creators)
{
	const struct recording *recording = tree->recording;
	bool has_pairs = has_chunks(recording, KYMO_CHUNK_FUNCTION_EVENTS);
	bool has_events = has_chunks(recording, KYMO_CHUNK_EVENTS);
	bool is_whole = recording->has_each_call && (has_pairs || has_events);
	enum kymo_status status = KYMO_OK;
	uint32_t first;

	tree->is_replayed = !has_trees(recording) || (has_pairs && has_events) || is_whole;
	if (!tree->is_replayed)
		status = calltree_from_nodes(tree, creators);
	else if (has_events || !has_pairs || is_whole)
		status = calltree_from_trace(tree, creators);
	else
		tree->metric_count = 0;
	first = tree->node_count;
	if (status == KYMO_OK && !(has_pairs && has_events) && !is_whole)
		status = calltree_add_function_events(tree);
	if (status == KYMO_OK)
		status = calltree_add_counts(tree);
	if (status == KYMO_OK)
		status = calltree_add_throttled(tree);
	if (status == KYMO_OK && tree->node_count > first)
		status = calltree_nest_others(tree, first, creators);
	return status;
}

static enum kymo_status calltree_build(struct calltree *tree, uint32_t *creators)
{
	enum kymo_status status = calltree_collect(tree, creators);

	if (status != KYMO_OK)
		return status;
	finish_times(tree);
	calltree_finish(tree, creators);
	status = calltree_take_measuring_out(tree);
	if (status != KYMO_OK)
		return status;
	if (tree->recording->header.flags & KYMO_HEADER_SAMPLED)
		tree->effective_count = effective_count(tree);
	status = calltree_add_position_estimates(tree);
	return status == KYMO_OK ? calltree_add_stored_estimates(tree) : status;
}

enum kymo_status calltree_new(const struct recording *recording, struct calltree **out,
			      struct problem *problem)
{
	struct calltree *tree = calltree_alloc(recording);
	uint32_t *creators = calltree_indexes(recording->thread_count);
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
	free(tree->thread_measuring_ns);
	free(tree->thread_is_idle);
	free(tree->metrics);
	free(tree->estimated);
	free(tree->positions);
	free(tree);
}
