/* Nests the nodes of other collectors into functions: when they happened was not recorded.
 *
 * Next to the functions their time would be counted twice.  If the outermost function has enough
 * own time for all of them, they were called there or further in: they go below that function.
 * Else each goes below the function whose own time is just large enough, since a function that
 * waits does little else.  A node that fits into no function was in several: each of these gets a
 * part of it. */
#include "model/tree/build/calltree_nest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/functions/functions.h"
#include "model/tree/build/calltree_build.h"

/* Relative difference by the overhead of two collectors, below which times count as equal. */
#define ALIKE	      1e-3
/* The COARSE clock advances when its thread has a processor: on a busy machine it is late by
 * scheduling delays, by at most a tenth of a function's time. */
#define LATE_NS	      20e6
#define LATE	      0.1
/* The rest is short, since the longest come first. */
#define SEARCHES_MOST 2000

struct piece { /* of a node divided among several functions, except the first */
	uint32_t node, function;
	double ns, share; /* of what the pieces before it left */
};

struct nesting {
	struct calltree *tree;
	uint32_t first;		/* nodes from here on are functions' */
	const uint32_t *wholes; /* by thread */
	uint32_t *outermost;	/* by thread: the function with the most time, or CALLTREE_NONE */
	double *others;		/* by thread: time of nodes that are not functions */
	double *all;		/* by thread: including functions */
	double *own;		/* by node: own time of functions, without what was nested */
	double *taken;		/* by node: nested time of functions */
	uint32_t *below;       /* by node of others: the function to nest it in, or CALLTREE_NONE */
	uint32_t *new_indices; /* by node: its new index */
	uint32_t searches;     /* linear searches for functions */
	struct piece *pieces;
	size_t piece_count, piece_capacity;
};

static bool nest_is_candidate(const struct nesting *nesting, uint32_t node)
{
	const struct calltree_node *from = &nesting->tree->nodes[node];

	return node < nesting->first && from->parent != CALLTREE_NONE &&
	       from->parent == nesting->wholes[from->thread];
}

static void nest_sum_up(struct nesting *nesting)
{
	const struct calltree *tree = nesting->tree;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		uint32_t *outermost = &nesting->outermost[node->thread];

		if (i >= nesting->first) {
			nesting->own[i] += node->sum_ns;
			if (node->parent >= nesting->first && node->parent != CALLTREE_NONE)
				nesting->own[node->parent] -= node->sum_ns;
		}
		if (node->parent == CALLTREE_NONE || node->parent != nesting->wholes[node->thread])
			continue;
		nesting->all[node->thread] += node->sum_ns;
		if (i < nesting->first)
			nesting->others[node->thread] += node->sum_ns;
		else if (*outermost == CALLTREE_NONE ||
			 tree->nodes[*outermost].sum_ns < node->sum_ns)
			*outermost = i;
	}
}

static void put_below(struct nesting *nesting, uint32_t node, uint32_t function)
{
	double ns = nesting->tree->nodes[node].sum_ns;

	nesting->below[node] = function;
	nesting->own[function] -= ns;
	nesting->taken[function] += ns;
}

/* Of a thread: the function with the least own time of at least ns; if there is none, or ns is NAN,
 * the one with the most. */
static uint32_t nest_find_function(struct nesting *nesting, uint32_t thread, double ns)
{
	const struct calltree *tree = nesting->tree;
	uint32_t best = CALLTREE_NONE, most = CALLTREE_NONE;

	if (nesting->searches++ >= SEARCHES_MOST)
		return CALLTREE_NONE;

	for (uint32_t i = nesting->first; i < tree->node_count; i++) {
		double own = nesting->own[i];

		if (tree->nodes[i].thread != thread || !(own > 0))
			continue;
		if (most == CALLTREE_NONE || own > nesting->own[most])
			most = i;
		if (own >= ns && (best == CALLTREE_NONE || own < nesting->own[best]))
			best = i;
	}
	return best == CALLTREE_NONE ? most : best;
}

static bool add_piece(struct nesting *nesting, uint32_t node, uint32_t function, double ns)
{
	double left = fmax(nesting->tree->nodes[node].sum_ns, ns);
	struct piece *pieces = array_grow(nesting->pieces, &nesting->piece_capacity,
					  nesting->piece_count + 1, sizeof(*pieces));

	if (!pieces)
		return false;
	nesting->pieces = pieces;
	pieces[nesting->piece_count++] = (struct piece){node, function, ns, ns / left};
	nesting->own[function] -= ns;
	nesting->taken[function] += ns;
	return true;
}

/* By how much another collector's measurement may exceed the time of its function.  A function that
 * already has nested nodes must keep its time: nothing may exceed it much. */
static double nest_slack(const struct nesting *nesting, double ns, bool is_leaf)
{
	const struct functions *functions = nesting->tree->recording->functions;

	if (is_leaf && functions && functions->has_coarse)
		return ns * ALIKE + fmin(LATE_NS, ns * LATE);
	return ns * ALIKE;
}

/* Put a part of it below each function with the most own time, the node itself below the last one;
 * a remainder stays. */
static bool nest_share_out(struct nesting *nesting, uint32_t node)
{
	struct calltree_node *from = &nesting->tree->nodes[node];
	double least = nest_slack(nesting, from->sum_ns, true);
	uint32_t function = nest_find_function(nesting, from->thread, NAN);

	while (function != CALLTREE_NONE) {
		double ns = fmin(nesting->own[function], from->sum_ns);

		if (from->sum_ns - ns <= least) {
			from->sum_ns = ns;
			put_below(nesting, node, function);
			return true;
		}
		if (!add_piece(nesting, node, function, ns))
			return false;
		from->sum_ns -= ns;
		function = nest_find_function(nesting, from->thread, NAN);
	}
	return true;
}

static bool nest_fit(struct nesting *nesting, uint32_t node, bool is_leaf)
{
	struct calltree_node *from = &nesting->tree->nodes[node];
	double least = from->sum_ns - nest_slack(nesting, from->sum_ns, is_leaf);
	uint32_t function = nest_find_function(nesting, from->thread, least);

	if (function == CALLTREE_NONE || from->sum_ns <= 0)
		return true;
	if (nesting->own[function] < least)
		return !is_leaf || nest_share_out(nesting, node);
	if (is_leaf)
		from->sum_ns = fmin(from->sum_ns, nesting->own[function]);
	put_below(nesting, node, function);
	return true;
}

static int nest_by_time(const void *left, const void *right, void *context)
{
	const struct calltree_node *nodes = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (nodes[a].sum_ns != nodes[b].sum_ns)
		return nodes[a].sum_ns < nodes[b].sum_ns ? 1 : -1;
	return a < b ? -1 : a > b;
}

/* The longest first: the fewest functions can have called them. */
static bool fit_all(struct nesting *nesting, const bool *is_chosen)
{
	struct calltree *tree = nesting->tree;
	uint32_t *order = calloc((size_t)nesting->first + 1, sizeof(*order));
	bool *has_children = calloc((size_t)nesting->first + 1, sizeof(*has_children));
	bool is_complete = order && has_children;
	size_t count = 0;

	for (uint32_t i = 0; is_complete && i < nesting->first; i++) {
		if (tree->nodes[i].parent != CALLTREE_NONE)
			has_children[tree->nodes[i].parent] = true;
		if (nest_is_candidate(nesting, i) && is_chosen[tree->nodes[i].thread])
			order[count++] = i;
	}
	if (count > 1)
		qsort_r(order, count, sizeof(*order), nest_by_time, tree->nodes);
	for (size_t i = 0; is_complete && i < count; i++)
		is_complete = nest_fit(nesting, order[i], !has_children[order[i]]);
	free(order);
	free(has_children);
	return is_complete;
}

/* Choose threads whose time would be counted twice. */
static bool nest_choose(struct nesting *nesting)
{
	const struct calltree *tree = nesting->tree;
	uint32_t threads = tree->recording->thread_count;
	bool *is_chosen = calloc((size_t)threads + 1, sizeof(*is_chosen)), is_complete;

	if (!is_chosen)
		return false;
	for (uint32_t i = 0; i < threads; i++) {
		uint32_t outermost = nesting->outermost[i];

		if (outermost == CALLTREE_NONE || nesting->others[i] <= 0 ||
		    nesting->all[i] <= tree->nodes[nesting->wholes[i]].sum_ns)
			nesting->outermost[i] = CALLTREE_NONE;
		else if (nesting->own[outermost] < nesting->others[i])
			is_chosen[i] = true;
	}
	for (uint32_t i = 0; i < nesting->first; i++) {
		uint32_t thread = tree->nodes[i].thread;

		if (nest_is_candidate(nesting, i) && nesting->outermost[thread] != CALLTREE_NONE &&
		    !is_chosen[thread])
			put_below(nesting, i, nesting->outermost[thread]);
	}
	is_complete = fit_all(nesting, is_chosen);
	free(is_chosen);
	return is_complete;
}

/* Parents come first: nested nodes go after all functions. */
static void nest_place(struct nesting *nesting, bool *is_moved)
{
	struct calltree *tree = nesting->tree;
	uint32_t kept = 0, moved = 0;

	for (uint32_t i = 0; i < nesting->first; i++) {
		struct calltree_node *node = &tree->nodes[i];

		if (node->parent == CALLTREE_NONE)
			continue;
		is_moved[i] = nesting->below[i] != CALLTREE_NONE ||
			      (!nest_is_candidate(nesting, i) && is_moved[node->parent]);
		moved += is_moved[i];
	}
	for (uint32_t i = 0; i < nesting->first; i++)
		if (nesting->below[i] != CALLTREE_NONE)
			tree->nodes[i].parent = nesting->below[i];
	moved = tree->node_count - moved;
	for (uint32_t i = 0; i < tree->node_count; i++)
		nesting->new_indices[i] = i < nesting->first && is_moved[i] ? moved++ : kept++;
}

static uint32_t nest_place_of(const struct nesting *nesting, uint32_t node)
{
	return node == CALLTREE_NONE ? CALLTREE_NONE : nesting->new_indices[node];
}

static bool nest_move_all(struct nesting *nesting, uint32_t *creators)
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
		uint32_t to = nesting->new_indices[i];

		nodes[to] = tree->nodes[i];
		nodes[to].parent = nest_place_of(nesting, nodes[to].parent);
		if (metrics)
			memcpy(&metrics[(size_t)to * tree->metric_count],
			       &tree->metrics[(size_t)i * tree->metric_count], row);
	}
	for (uint32_t i = 0; i < tree->recording->thread_count; i++) {
		tree->thread_root[i] = nest_place_of(nesting, tree->thread_root[i]);
		creators[i] = nest_place_of(nesting, creators[i]);
	}
	free(tree->nodes);
	free(tree->metrics);
	tree->nodes = nodes;
	tree->metrics = metrics;
	return true;
}

/* Split ns off a node into another one below a function.  Their calls cannot be attributed. */
static void nest_split(struct calltree *tree, uint32_t node, uint32_t to, uint32_t function,
		       double share)
{
	struct calltree_node *from = &tree->nodes[node], *made = &tree->nodes[to];
	uint64_t count = from->count;

	*made = *from;
	made->parent = function;
	made->count = (uint64_t)((double)count * share + 0.5);
	made->closed_count = (uint64_t)((double)from->closed_count * share + 0.5);
	made->sum_squares_ns *= share;
	from->count -= made->count;
	from->closed_count -= made->closed_count;
	from->sum_squares_ns -= made->sum_squares_ns;
	for (uint32_t k = 0; tree->metrics && k < tree->metric_count; k++) {
		struct calltree_metric *rest =
			&tree->metrics[(size_t)node * tree->metric_count + k];
		struct calltree_metric *part = &tree->metrics[(size_t)to * tree->metric_count + k];

		*part = *rest;
		part->count = (uint64_t)((double)rest->count * share + 0.5);
		part->sum *= share;
		part->sum_squares *= share;
		rest->count -= part->count;
		rest->sum -= part->sum;
		rest->sum_squares -= part->sum_squares;
	}
}

static void nest_put_interval(struct calltree *tree, struct calltree_node *node, uint64_t all)
{
	node->is_count_estimated = all > 0;
	node->count_low = 0;
	node->count_high = all;
	tree->has_estimated_counts |= node->is_count_estimated;
}

/* The pieces of a node are adjacent. */
static bool add_pieces(struct nesting *nesting)
{
	struct calltree *tree = nesting->tree;

	if (!nesting->piece_count)
		return true;
	if (!calltree_reserve(tree, nesting->piece_count))
		return false;
	for (size_t i = 0; i < nesting->piece_count;) {
		uint32_t from = nesting->pieces[i].node, node = nesting->new_indices[from];
		uint64_t all = tree->nodes[node].count;

		for (; i < nesting->piece_count && nesting->pieces[i].node == from; i++) {
			const struct piece *piece = &nesting->pieces[i];
			uint32_t to = tree->node_count++;

			nest_split(tree, node, to, nesting->new_indices[piece->function],
				   piece->share);
			tree->nodes[to].sum_ns = piece->ns;
			nest_put_interval(tree, &tree->nodes[to], all);
		}
		nest_put_interval(tree, &tree->nodes[node], all);
	}
	return true;
}

/* Subtract nested time from estimates of own time, of a thread's functions by region. */
static bool lower_estimates(const struct nesting *nesting)
{
	struct calltree *tree = nesting->tree;
	size_t regions = (size_t)tree->recording->region_count + 1;
	double *taken = calloc(regions, sizeof(*taken));
	size_t begin = 0;

	while (taken && begin < tree->estimated_count) {
		uint32_t thread = tree->estimated[begin].thread;

		memset(taken, 0, regions * sizeof(*taken));
		for (uint32_t i = nesting->first; i < tree->node_count; i++)
			if (tree->nodes[i].thread == thread)
				taken[tree->nodes[i].region] += nesting->taken[i];
		for (; begin < tree->estimated_count && tree->estimated[begin].thread == thread;
		     begin++) {
			struct calltree_estimated *estimated = &tree->estimated[begin];

			if (estimated->caller == CALLTREE_NONE)
				estimated->estimate.self_ns -= taken[estimated->region];
		}
	}
	free(taken);
	return taken != NULL;
}

static bool calltree_nest(struct nesting *nesting, uint32_t *creators, bool *is_moved)
{
	bool is_any;

	nest_sum_up(nesting);
	if (!nest_choose(nesting) || !lower_estimates(nesting))
		return false;
	is_any = nesting->piece_count > 0;
	for (uint32_t i = 0; i < nesting->first && !is_any; i++)
		is_any = nesting->below[i] != CALLTREE_NONE;
	if (!is_any)
		return true;
	nest_place(nesting, is_moved);
	return nest_move_all(nesting, creators) && add_pieces(nesting);
}

enum kymo_status calltree_nest_others(struct calltree *tree, uint32_t first, uint32_t *creators)
{
	size_t threads = (size_t)tree->recording->thread_count + 1, nodes;
	uint32_t *wholes = calltree_wholes(tree); /* may add nodes */
	struct nesting nesting = {.tree = tree, .first = first, .wholes = wholes};
	bool *is_moved = calloc((size_t)first + 1, sizeof(*is_moved)), is_complete;

	nodes = (size_t)tree->node_count + 1;
	nesting.outermost = malloc(threads * sizeof(uint32_t));
	nesting.others = calloc(threads, sizeof(double));
	nesting.all = calloc(threads, sizeof(double));
	nesting.own = calloc(nodes, sizeof(double));
	nesting.taken = calloc(nodes, sizeof(double));
	nesting.below = malloc(nodes * sizeof(uint32_t));
	nesting.new_indices = calloc(nodes, sizeof(uint32_t));
	is_complete = nesting.outermost && nesting.others && nesting.all && nesting.own &&
		      nesting.taken && nesting.below && nesting.new_indices && wholes && is_moved;
	if (is_complete) {
		memset(nesting.outermost, 0xff, threads * sizeof(uint32_t));
		memset(nesting.below, 0xff, nodes * sizeof(uint32_t));
		is_complete = calltree_nest(&nesting, creators, is_moved);
	}
	free(nesting.outermost);
	free(nesting.others);
	free(nesting.all);
	free(nesting.own);
	free(nesting.taken);
	free(nesting.below);
	free(nesting.new_indices);
	free(nesting.pieces);
	free(wholes);
	free(is_moved);
	return is_complete ? KYMO_OK : KYMO_MEMORY;
}
