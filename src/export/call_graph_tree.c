/* Call-path trees as a graph of functions. A walk through a thread's tree counts for each function,
 * and each call, how often it is open: time is added if that was 0, so recursion counts once. */
#include "export/call_graph_tree.h"

#include <string.h>

#include "command/xalloc.h"
#include "export/call_graph.h"
#include "export/tree_paths.h"

struct call_graph_tree {
	struct call_graph_input part;
	struct calltree *own; /* part's tree, if it is freed with this; NULL = it is another's */
	struct call_graph *graph; /* during the walk */
	const char *root_name;
	uint32_t root;
	uint32_t *functions; /* by region: index, CALL_GRAPH_NONE = not known yet */
	/* By node: */
	uint32_t *shown; /* itself or the nearest caller that is shown, NONE if there is none */
	uint32_t *calls; /* its call, while that is open */
	uint64_t *self, *sum;	  /* times */
	uint64_t *visits, *below; /* calls or samples: of itself, and of its subtree */
};

static void walk_init(struct call_graph_tree *walk)
{
	size_t nodes = (size_t)walk->part.tree->node_count + 1;
	size_t regions = (size_t)walk->part.tree->recording->region_count + 1;

	walk->functions = xmalloc(regions * sizeof(*walk->functions));
	walk->shown = xmalloc(nodes * sizeof(*walk->shown));
	walk->calls = xmalloc(nodes * sizeof(*walk->calls));
	walk->self = xcalloc(nodes, sizeof(*walk->self));
	walk->sum = xcalloc(nodes, sizeof(*walk->sum));
	walk->visits = xcalloc(nodes, sizeof(*walk->visits));
	walk->below = xcalloc(nodes, sizeof(*walk->below));
	memset(walk->functions, 0xff, regions * sizeof(*walk->functions));
}

static bool tree_is_shown(const struct call_graph_tree *walk, const struct calltree_node *node)
{
	if (node->parent == CALLTREE_NONE)
		return walk->part.has_roots;
	return !walk->part.regions || walk->part.regions[node->region];
}

/* Samples of this very node; a node comes before its children, which subtract theirs. */
static void take_samples(struct call_graph_tree *walk, uint32_t index)
{
	const struct calltree_node *node = &walk->part.tree->nodes[index];

	walk->visits[index] += node->count;
	if (node->parent != CALLTREE_NONE)
		walk->visits[node->parent] -= node->count;
}

/* Time of hidden nodes belongs to the nearest shown caller; their calls are dropped, as are those
 * that only the root could show. */
static void attribute_hidden(struct call_graph_tree *walk, uint32_t index, double *carry)
{
	const struct calltree_node *nodes = walk->part.tree->nodes;
	uint32_t shown = walk->shown[index];

	if (shown != CALLTREE_NONE && nodes[shown].parent == CALLTREE_NONE)
		shown = CALLTREE_NONE;
	if (shown != CALLTREE_NONE && nodes[index].self_ns > 0)
		walk->self[shown] += tree_weight(nodes[index].self_ns, 1, carry);
	if (shown == index)
		return;
	if (shown != CALLTREE_NONE && walk->part.is_sampled)
		walk->visits[shown] += walk->visits[index];
	walk->visits[index] = 0;
}

static void graph_tree_add_to_parents(struct call_graph_tree *walk)
{
	for (uint32_t i = walk->part.tree->node_count; i-- > 0;) {
		uint32_t parent = walk->part.tree->nodes[i].parent;

		walk->sum[i] += walk->self[i];
		walk->below[i] += walk->visits[i];
		if (parent == CALLTREE_NONE)
			continue;
		walk->sum[parent] += walk->sum[i];
		walk->below[parent] += walk->below[i];
	}
}

/* Attribute times and visits.  Parents come before their children, so one pass finds the shown
 * callers, and one pass backwards adds to all callers. */
static void graph_tree_assign(struct call_graph_tree *walk)
{
	const struct calltree *tree = walk->part.tree;
	double carry = 0;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		uint32_t above =
			node->parent == CALLTREE_NONE ? CALLTREE_NONE : walk->shown[node->parent];

		walk->shown[i] = tree_is_shown(walk, node) ? i : above;
		if (walk->part.is_sampled)
			take_samples(walk, i);
		else if (node->parent != CALLTREE_NONE)
			walk->visits[i] = node->count;
	}
	for (uint32_t i = 0; i < tree->node_count; i++)
		attribute_hidden(walk, i, &carry);
	graph_tree_add_to_parents(walk);
}

static uint32_t tree_function_of(struct call_graph_tree *walk, uint32_t index)
{
	const struct calltree_node *node = &walk->part.tree->nodes[index];
	uint32_t *known = &walk->functions[node->region];

	if (node->parent == CALLTREE_NONE)
		return call_graph_root(walk->graph, walk->root_name);
	if (*known == CALL_GRAPH_NONE)
		*known = call_graph_function(walk->graph,
					     &walk->part.tree->recording->regions[node->region]);
	return *known;
}

static uint32_t tree_line_of(const struct call_graph_tree *walk, uint32_t index)
{
	const struct calltree_node *node = &walk->part.tree->nodes[index];
	const struct region *region = &walk->part.tree->recording->regions[node->region];

	return node->parent == CALLTREE_NONE || !region->file ? 0 : region->line;
}

static uint64_t tree_count_of(const struct call_graph_tree *walk, uint32_t index)
{
	return walk->part.is_sampled ? walk->below[index] : walk->visits[index];
}

static void open_cost(struct call_graph_tree *walk, uint32_t index, uint32_t function)
{
	struct graph_cost *cost = call_graph_cost(walk->graph, function, tree_line_of(walk, index));

	cost->visits += walk->visits[index];
	cost->self += walk->self[index];
}

static void tree_open_call(struct call_graph_tree *walk, uint32_t index, uint32_t above,
			   uint32_t callee, bool is_outermost)
{
	uint32_t line = walk->graph->has_lines ? tree_line_of(walk, above) : 0;
	uint32_t position =
		call_graph_call(walk->graph, tree_function_of(walk, above), line, callee);
	struct graph_call *call = &walk->graph->calls[position];

	if (call->open == 0 || !walk->part.is_sampled)
		call->count += tree_count_of(walk, index);
	call->is_count_estimated |= walk->part.tree->nodes[index].is_count_estimated;
	if (call->open++ == 0)
		call->total += walk->sum[index];
	if (is_outermost) {
		call->outermost += walk->sum[index];
		call->outermost_visits += walk->below[index];
	}
	walk->calls[index] = position;
}

static void open_node(struct call_graph_tree *walk, uint32_t index)
{
	uint32_t parent = walk->part.tree->nodes[index].parent;
	uint32_t above = parent == CALLTREE_NONE ? CALLTREE_NONE : walk->shown[parent];
	uint32_t position = tree_function_of(walk, index);
	struct graph_function *function = &walk->graph->functions[position];
	bool is_outermost = function->open++ == 0;

	if (is_outermost || !walk->part.is_sampled)
		function->count += tree_count_of(walk, index);
	if (is_outermost)
		function->total += walk->sum[index];
	function->self += walk->self[index];
	if (walk->graph->has_lines)
		open_cost(walk, index, position);
	if (above != CALLTREE_NONE)
		tree_open_call(walk, index, above, position, is_outermost);
}

static void close_node(struct call_graph_tree *walk, uint32_t index)
{
	const struct calltree_node *node = &walk->part.tree->nodes[index];

	if (walk->shown[index] != index)
		return;
	walk->graph->functions[tree_function_of(walk, index)].open--;
	if (node->parent != CALLTREE_NONE && walk->shown[node->parent] != CALLTREE_NONE)
		walk->graph->calls[walk->calls[index]].open--;
}

/* The next node in preorder, after closing those whose last child was visited. */
static uint32_t graph_tree_node_after(struct call_graph_tree *walk, uint32_t index)
{
	const struct calltree_node *nodes = walk->part.tree->nodes;

	if (nodes[index].first_child != CALLTREE_NONE)
		return nodes[index].first_child;
	for (;;) {
		close_node(walk, index);
		if (index == walk->root)
			return CALLTREE_NONE;
		if (nodes[index].next_sibling != CALLTREE_NONE)
			return nodes[index].next_sibling;
		index = nodes[index].parent;
	}
}

struct call_graph_tree *call_graph_tree_new(const struct call_graph_input *part)
{
	struct call_graph_tree *walk = xcalloc(1, sizeof(*walk));

	walk->part = *part;
	walk_init(walk);
	graph_tree_assign(walk);
	return walk;
}

enum kymo_status call_graph_tree_open(const struct recording_samples *samples,
				      struct call_graph_input part, struct call_graph_tree **out,
				      struct problem *problem)
{
	struct calltree *tree;
	enum kymo_status status = samples_or_calls_tree_new(samples, &tree, problem);

	if (status < 0)
		return status;
	part.tree = tree;
	part.is_sampled = samples_make_tree(samples);
	*out = call_graph_tree_new(&part);
	(*out)->own = tree;
	return KYMO_OK;
}

void call_graph_add(struct call_graph *graph, struct call_graph_tree *walk, uint32_t thread,
		    const char *root_name)
{
	walk->graph = graph;
	walk->root_name = root_name;
	walk->root = walk->part.tree->thread_root[thread];
	for (uint32_t i = walk->root; i != CALLTREE_NONE; i = graph_tree_node_after(walk, i)) {
		if (walk->shown[i] == i)
			open_node(walk, i);
	}
}

void call_graph_tree_free(struct call_graph_tree *walk)
{
	xfree(walk->functions);
	xfree(walk->shown);
	xfree(walk->calls);
	xfree(walk->self);
	xfree(walk->sum);
	xfree(walk->visits);
	xfree(walk->below);
	calltree_free(walk->own);
	xfree(walk);
}
