/* The shape of call paths: from the functions without callers downwards, the path with the most
 * time first, each with an estimate of its share of its last call. */
#include "model/tree/graph_shape.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "model/tree/graph_paths.h"
#include "model/tree/path_maker.h"

#define WALK_MAX	1000u	  /* callers searched for recursion */
#define WORK_MAX	50000000u /* calls visited before only missing ones are added */
#define NEGLIGIBLE	1e-9	  /* of all time */
#define NEGLIGIBLE_PART 0.5	  /* of a call */

static bool shape_is_before(const struct path_maker *maker, uint32_t a, uint32_t b)
{
	double left = maker->nodes[a].total, right = maker->nodes[b].total;

	return left > right || (left == right && a < b);
}

static void heap_push(struct path_maker *maker, uint32_t node)
{
	uint32_t *heap = array_grow(maker->heap, &maker->heap_capacity, maker->heap_count + 1,
				    sizeof(*heap));
	size_t at = maker->heap_count;

	if (!heap) {
		maker->is_out_of_memory = true;
		return;
	}
	maker->heap = heap;
	maker->heap_count++;
	for (; at > 0 && shape_is_before(maker, node, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = node;
}

static uint32_t heap_pop(struct path_maker *maker)
{
	uint32_t *heap = maker->heap, first = heap[0], last = heap[--maker->heap_count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < maker->heap_count) {
		if (child + 1 < maker->heap_count &&
		    shape_is_before(maker, heap[child + 1], heap[child]))
			child++;
		if (!shape_is_before(maker, heap[child], last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return first;
}

static void shape_node_add(struct path_maker *maker, uint32_t parent, uint32_t edge_index,
			   double part, double total)
{
	struct path_node *nodes = maker->node_count < GRAPH_NONE
					  ? array_grow(maker->nodes, &maker->node_capacity,
						       maker->node_count + 1, sizeof(*nodes))
					  : NULL;
	struct path_edge *edge = &maker->edges[edge_index];
	uint32_t depth = parent == GRAPH_NONE ? 1 : nodes ? nodes[parent].depth + 1 : 0;

	if (!nodes) {
		maker->is_out_of_memory = true;
		return;
	}
	maker->nodes = nodes;
	if (depth > GRAPH_DEPTH_MAX) {
		parent = GRAPH_NONE;
		depth = 1;
	}
	part = part > 0 && isfinite(part) ? part : 0;
	nodes[maker->node_count] = (struct path_node){
		.edge = edge_index, .parent = parent, .depth = depth, .part = part, .total = total};
	if (edge->node_count++ == 0 && edge->caller != GRAPH_NONE)
		maker->functions[edge->caller].missing--;
	edge->parts += part;
	maker->functions[edge->callee].node_count++;
	heap_push(maker, (uint32_t)maker->node_count++);
}

static uint32_t shape_function_of(const struct path_maker *maker, uint32_t node)
{
	return maker->edges[maker->nodes[node].edge].callee;
}

/* Count the functions on the path to node; false: it is too long. */
static bool mark_path(struct path_maker *maker, uint32_t node, int change)
{
	uint32_t left = WALK_MAX;

	for (; node != GRAPH_NONE && left > 0; node = maker->nodes[node].parent, left--)
		maker->functions[shape_function_of(maker, node)].open += (uint32_t)change;
	return node == GRAPH_NONE;
}

/* How much time of the node goes to a further level of the same function. */
static double own_total(const struct path_maker *maker, uint32_t function, double below)
{
	const struct graph_function *row = &maker->graph->functions[function];
	const struct path_edge *own = &maker->edges[maker->functions[function].own_edge];
	double outer = row->total - (row->self - own->self);

	return outer > 0 ? below * fmin(own->total / outer, 1) : 0;
}

struct expansion {
	uint32_t node, function;
	double part;  /* of the function */
	double below; /* time of its callees, except itself */
	double own;
	bool is_recursive, is_short;
};

static void expand_edge(struct path_maker *maker, const struct expansion *from, uint32_t index)
{
	const struct path_edge *edge = &maker->edges[index];
	double all = maker->functions[from->function].others_total;
	bool is_own = edge->callee == from->function;
	double total = is_own ? from->own : all > 0 ? from->below * (edge->total / all) : 0;
	double part = edge->total > 0 ? total / edge->total : from->part;
	bool is_wanted = from->is_short && maker->functions[edge->callee].open < 2 &&
			 !(is_own && from->is_recursive) && part > 0 &&
			 maker->node_count < GRAPH_NODES_MAX &&
			 (total > NEGLIGIBLE * maker->all_total ||
			  part * (double)edge->count >= NEGLIGIBLE_PART);

	if (edge->node_count == 0 || is_wanted)
		shape_node_add(maker, from->node, index, part, total);
}

static void shape_expand(struct path_maker *maker, uint32_t index)
{
	const struct path_node node = maker->nodes[index];
	const struct path_edge *edge = &maker->edges[node.edge];
	const struct path_function *function = &maker->functions[edge->callee];
	uint64_t count = maker->graph->functions[edge->callee].count;
	double below = fmax(node.total - edge->self * node.part, 0);
	struct expansion from = {
		.node = index,
		.function = edge->callee,
		.part = count ? node.part * ((double)edge->count / (double)count) : node.part,
		.is_recursive = edge->caller == edge->callee,
	};

	if (!function->missing && (maker->node_count >= GRAPH_NODES_MAX || maker->work > WORK_MAX))
		return;
	if (function->own_edge != GRAPH_NONE && !from.is_recursive)
		from.own = own_total(maker, from.function, below);
	from.below = below - from.own;
	from.is_short = mark_path(maker, index, 1) && maker->work <= WORK_MAX;
	maker->work += function->edge_count;
	for (uint32_t i = 0; i < function->edge_count && !maker->is_out_of_memory; i++)
		expand_edge(maker, &from, function->first_edge + i);
	mark_path(maker, index, -1);
}

static void expand_all(struct path_maker *maker)
{
	while (maker->heap_count > 0 && !maker->is_out_of_memory)
		shape_expand(maker, heap_pop(maker));
}

static void shape_begin_at(struct path_maker *maker, const struct path_edge *outside)
{
	uint32_t edge = path_maker_edge(maker, outside);

	if (edge != GRAPH_NONE)
		shape_node_add(maker, GRAPH_NONE, edge, 1, outside->total);
}

/* Functions with more calls than all callers together made. */
static void shape_add_roots(struct path_maker *maker)
{
	for (uint32_t i = 0; i < maker->graph->function_count; i++) {
		const struct graph_function *row = &maker->graph->functions[i];
		const struct path_function *function = &maker->functions[i];
		struct path_edge outside = {.caller = GRAPH_NONE, .callee = i};

		if (row->region == 0 || row->count <= function->incoming_count)
			continue;
		outside.count = row->count - function->incoming_count;
		outside.self = fmax(row->self - function->incoming_self, 0);
		outside.total = fmax(row->total - function->incoming, outside.self);
		shape_begin_at(maker, &outside);
	}
}

struct by_total {
	uint32_t function;
	double total;
};

static int shape_compare_totals(const void *left, const void *right)
{
	const struct by_total *a = left, *b = right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/* Cycles without outside callers: they begin where most of the time is. */
static void add_cycles(struct path_maker *maker)
{
	uint32_t count = maker->graph->function_count;
	struct by_total *order = calloc((size_t)count + 1, sizeof(*order));

	if (!order) {
		maker->is_out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		order[i] = (struct by_total){i, fmax(maker->graph->functions[i].total,
						     maker->functions[i].others_total)};
	qsort(order, count, sizeof(*order), shape_compare_totals);
	for (uint32_t i = 0; i < count && !maker->is_out_of_memory; i++) {
		const struct graph_function *row = &maker->graph->functions[order[i].function];
		const struct path_function *function = &maker->functions[order[i].function];
		struct path_edge outside = {
			.caller = GRAPH_NONE, .callee = order[i].function, .total = order[i].total};

		if (function->node_count > 0 || row->region == 0)
			continue;
		if (function->incoming_count == 0)
			outside.self = row->self;
		shape_begin_at(maker, &outside);
		expand_all(maker);
	}
	free(order);
}

void path_maker_shape(struct path_maker *maker)
{
	shape_add_roots(maker);
	expand_all(maker);
	add_cycles(maker);
}
