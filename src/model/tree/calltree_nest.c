/* What other collectors keep as a tree happened inside of functions: when, is not in it.
 *
 * Beside the functions it would be counted twice in the program's time.  Where the outermost
 * function has enough time of its own for all of it, it was called there or further in: it goes
 * below that function. */
#include <stdlib.h>
#include <string.h>

#include "model/tree/calltree_build.h"

struct nesting {
	struct calltree *tree;
	uint32_t first;	     /* nodes from here on are functions' */
	uint32_t *outermost; /* by thread: the function with the most time, or CALLTREE_NONE */
	double *others;	     /* by thread: time of what is not a function's */
	double *all;	     /* by thread: with that of functions */
	uint32_t *places;    /* by node: where it goes */
};

static void sum_up(struct nesting *nesting, const uint32_t *wholes)
{
	const struct calltree *tree = nesting->tree;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		uint32_t *outermost = &nesting->outermost[node->thread];

		if (node->parent == CALLTREE_NONE || node->parent != wholes[node->thread])
			continue;
		nesting->all[node->thread] += node->sum_ns;
		if (i < nesting->first)
			nesting->others[node->thread] += node->sum_ns;
		else if (*outermost == CALLTREE_NONE ||
			 tree->nodes[*outermost].sum_ns < node->sum_ns)
			*outermost = i;
	}
}

/* Threads in which nothing is to move have no outermost function. */
static bool choose(struct nesting *nesting, const uint32_t *wholes)
{
	const struct calltree *tree = nesting->tree;
	double *own = calloc((size_t)tree->recording->thread_count + 1, sizeof(*own));
	bool is_any = false;

	for (uint32_t i = nesting->first; own && i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		if (i == nesting->outermost[node->thread])
			own[node->thread] += node->sum_ns;
		else if (node->parent == nesting->outermost[node->thread])
			own[node->thread] -= node->sum_ns;
	}
	for (uint32_t i = 0; own && i < tree->recording->thread_count; i++) {
		if (nesting->outermost[i] == CALLTREE_NONE)
			continue;
		if (nesting->others[i] <= 0 || own[i] < nesting->others[i] ||
		    nesting->all[i] <= tree->nodes[wholes[i]].sum_ns)
			nesting->outermost[i] = CALLTREE_NONE;
		is_any |= nesting->outermost[i] != CALLTREE_NONE;
	}
	free(own);
	return is_any;
}

/* Parents come first: those that go below a function lie behind all functions. */
static void place(struct nesting *nesting, const uint32_t *wholes, bool *is_moved)
{
	struct calltree *tree = nesting->tree;
	uint32_t kept = 0, moved = 0;

	for (uint32_t i = 0; i < nesting->first; i++) {
		struct calltree_node *node = &tree->nodes[i];
		uint32_t outermost = nesting->outermost[node->thread];

		if (node->parent == CALLTREE_NONE || outermost == CALLTREE_NONE)
			continue;
		if (node->parent == wholes[node->thread]) {
			node->parent = outermost;
			is_moved[i] = true;
		} else {
			is_moved[i] = is_moved[node->parent];
		}
		moved += is_moved[i];
	}
	moved = tree->node_count - moved;
	for (uint32_t i = 0; i < tree->node_count; i++)
		nesting->places[i] = i < nesting->first && is_moved[i] ? moved++ : kept++;
}

static uint32_t place_of(const struct nesting *nesting, uint32_t node)
{
	return node == CALLTREE_NONE ? CALLTREE_NONE : nesting->places[node];
}

static bool move_all(struct nesting *nesting, uint32_t *creators)
{
	struct calltree *tree = nesting->tree;
	size_t row = tree->metric_count * sizeof(*tree->metrics);
	struct calltree_node *nodes = calloc((size_t)tree->node_count + 1, sizeof(*nodes));
	struct calltree_metric *metrics =
		tree->metrics ? calloc((size_t)tree->node_count + 1, row) : NULL;

	if (!nodes || (tree->metrics && !metrics)) {
		free(nodes);
		free(metrics);
		return false;
	}
	for (uint32_t i = 0; i < tree->node_count; i++) {
		uint32_t to = nesting->places[i];

		nodes[to] = tree->nodes[i];
		nodes[to].parent = place_of(nesting, nodes[to].parent);
		if (metrics)
			memcpy(&metrics[(size_t)to * tree->metric_count],
			       &tree->metrics[(size_t)i * tree->metric_count], row);
	}
	for (uint32_t i = 0; i < tree->recording->thread_count; i++) {
		tree->thread_root[i] = place_of(nesting, tree->thread_root[i]);
		creators[i] = place_of(nesting, creators[i]);
	}
	free(tree->nodes);
	free(tree->metrics);
	tree->nodes = nodes;
	tree->metrics = metrics;
	return true;
}

static void lower_estimates(struct nesting *nesting)
{
	struct calltree *tree = nesting->tree;

	for (size_t i = 0; i < tree->estimated_count; i++) {
		struct calltree_estimated *estimated = &tree->estimated[i];
		uint32_t outermost = nesting->outermost[estimated->thread];

		if (outermost != CALLTREE_NONE && estimated->caller == CALLTREE_NONE &&
		    estimated->region == tree->nodes[outermost].region)
			estimated->estimate.self_ns -= nesting->others[estimated->thread];
	}
}

enum kymo_status calltree_nest_others(struct calltree *tree, uint32_t first, uint32_t *creators)
{
	size_t threads = (size_t)tree->recording->thread_count + 1;
	uint32_t *wholes = calltree_wholes(tree); /* may add nodes */
	struct nesting nesting = {
		.tree = tree,
		.first = first,
		.outermost = malloc(threads * sizeof(uint32_t)),
		.others = calloc(threads, sizeof(double)),
		.all = calloc(threads, sizeof(double)),
		.places = calloc((size_t)tree->node_count + 1, sizeof(uint32_t)),
	};
	bool *is_moved = calloc((size_t)first + 1, sizeof(*is_moved));
	bool is_complete = nesting.outermost && nesting.others && nesting.all && nesting.places &&
			   wholes && is_moved;

	if (is_complete) {
		memset(nesting.outermost, 0xff, threads * sizeof(uint32_t));
		sum_up(&nesting, wholes);
		if (choose(&nesting, wholes)) {
			lower_estimates(&nesting);
			place(&nesting, wholes, is_moved);
			is_complete = move_all(&nesting, creators);
		}
	}
	free(nesting.outermost);
	free(nesting.others);
	free(nesting.all);
	free(nesting.places);
	free(wholes);
	free(is_moved);
	return is_complete ? KYMO_OK : KYMO_MEMORY;
}
