/* Call paths from a call graph.
 *
 * First the shape: from the functions that nothing called downwards, the path with the most time
 * first, each with an estimate of how much of its last call it is.  Then the numbers: what a
 * call has is shared among the paths that end with it, by those estimates, without a rest.  So
 * however rough an estimate is, and whatever was left out, sums over paths are what the file
 * says. */
#include "import/graph_paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define NONE		UINT32_MAX
#define WALK_MAX	1000u	  /* callers that are looked at for recursion */
#define WORK_MAX	50000000u /* calls looked at before only what is missing is added */
#define NEGLIGIBLE	1e-9	  /* of all time */
#define NEGLIGIBLE_PART 0.5	  /* of a call */

struct path_node {
	uint32_t edge, parent; /* parent: node or NONE */
	uint32_t depth, made;  /* made: of imported */
	double part;	       /* of its edge */
	double total;	       /* estimate, its callees included */
};

struct path_edge { /* a call, or with caller NONE what comes from outside of the graph */
	uint32_t caller, callee;
	uint64_t count, given;
	double self, total;
	double parts, parts_before; /* sums over its nodes */
	uint32_t node_count, nodes_before;
};

struct path_function {
	uint32_t first_edge, edge_count; /* outgoing ones */
	uint32_t missing;		 /* of them without a node */
	uint32_t node_count;
	uint32_t open;	     /* how often it is on the path in hand */
	uint32_t own_edge;   /* to itself, or NONE */
	double others_total; /* of outgoing calls but the one to itself */
	double incoming, incoming_self;
	uint64_t incoming_count;
};

struct path_maker {
	struct call_paths_graph *graph;
	struct path_function *functions;
	struct path_edge *edges;
	size_t edge_count, edge_capacity;
	struct path_node *nodes;
	size_t node_count, node_capacity;
	uint32_t *heap; /* nodes to be looked at, the one with the most time first */
	size_t heap_count, heap_capacity;
	double all_total;
	uint64_t work;
	bool is_out_of_memory;
};

/* ---- the graph ------------------------------------------------------------------------- */

static int compare_calls(const void *left, const void *right)
{
	const struct graph_call *a = left, *b = right;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* One call a pair. */
static void merge_calls(struct call_paths_graph *graph)
{
	size_t kept = 0;

	if (graph->call_count == 0)
		return;
	qsort(graph->calls, graph->call_count, sizeof(*graph->calls), compare_calls);
	for (size_t i = 1; i < graph->call_count; i++) {
		struct graph_call *last = &graph->calls[kept], *call = &graph->calls[i];

		if (compare_calls(last, call) != 0) {
			graph->calls[++kept] = *call;
			continue;
		}
		last->count += call->count;
		last->self += call->self;
		last->total += call->total;
	}
	graph->call_count = kept + 1;
}

static uint32_t edge_add(struct path_maker *maker, const struct path_edge *edge)
{
	struct path_edge *grown = array_grow(maker->edges, &maker->edge_capacity,
					     maker->edge_count + 1, sizeof(*grown));

	if (!grown || maker->edge_count >= NONE) {
		maker->is_out_of_memory = true;
		return NONE;
	}
	maker->edges = grown;
	grown[maker->edge_count] = *edge;
	return (uint32_t)maker->edge_count++;
}

static void add_incoming(struct path_maker *maker)
{
	for (size_t i = 0; i < maker->graph->call_count; i++) {
		const struct graph_call *call = &maker->graph->calls[i];
		struct path_function *callee = &maker->functions[call->callee];

		callee->incoming_count += call->count;
		if (call->caller != call->callee)
			callee->incoming += call->total;
	}
}

/* What of the callee's own time is this call's. */
static double self_of(const struct path_maker *maker, const struct graph_call *call)
{
	const struct graph_function *function = &maker->graph->functions[call->callee];
	const struct path_function *callee = &maker->functions[call->callee];
	uint64_t count =
		function->count > callee->incoming_count ? function->count : callee->incoming_count;

	if (call->has_self)
		return call->self;
	if (callee->incoming > 0 && function->count <= callee->incoming_count &&
	    call->caller != call->callee)
		return function->self * (call->total / callee->incoming);
	return count ? function->self * ((double)call->count / (double)count) : 0;
}

static void add_edges(struct path_maker *maker)
{
	struct call_paths_graph *graph = maker->graph;

	for (uint32_t i = 0; i < graph->function_count; i++)
		maker->functions[i].own_edge = NONE;
	for (size_t i = 0; i < graph->call_count; i++) {
		const struct graph_call *call = &graph->calls[i];
		struct path_function *caller = &maker->functions[call->caller];
		struct path_edge edge = {.caller = call->caller,
					 .callee = call->callee,
					 .count = call->count,
					 .self = self_of(maker, call),
					 .total = call->total};
		uint32_t index = edge_add(maker, &edge);

		if (caller->edge_count++ == 0)
			caller->first_edge = index;
		caller->missing++;
		maker->functions[call->callee].incoming_self += edge.self;
		if (call->caller == call->callee)
			caller->own_edge = index;
		else
			caller->others_total += call->total;
	}
}

/* Calls have to add up to their callee: where they are more, each gets less. */
static void scale_edges(struct path_maker *maker)
{
	for (size_t i = 0; i < maker->edge_count; i++) {
		struct path_edge *edge = &maker->edges[i];
		const struct path_function *callee = &maker->functions[edge->callee];
		const struct graph_function *function = &maker->graph->functions[edge->callee];
		bool has_outside = function->count > callee->incoming_count;

		if (callee->incoming_self > function->self ||
		    (!has_outside && callee->incoming_self > 0))
			edge->self *= function->self / callee->incoming_self;
		else if (!has_outside && callee->incoming_count > 0)
			edge->self = function->self *
				     ((double)edge->count / (double)callee->incoming_count);
		if (callee->incoming_count > function->count)
			edge->count = (uint64_t)((double)edge->count * (double)function->count /
						 (double)callee->incoming_count);
	}
}

/* ---- nodes --------------------------------------------------------------------------------- */

static bool is_before(const struct path_maker *maker, uint32_t a, uint32_t b)
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
	for (; at > 0 && is_before(maker, node, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = node;
}

static uint32_t heap_pop(struct path_maker *maker)
{
	uint32_t *heap = maker->heap, first = heap[0], last = heap[--maker->heap_count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < maker->heap_count) {
		if (child + 1 < maker->heap_count && is_before(maker, heap[child + 1], heap[child]))
			child++;
		if (!is_before(maker, heap[child], last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return first;
}

static void node_add(struct path_maker *maker, uint32_t parent, uint32_t edge_index, double part,
		     double total)
{
	struct path_node *nodes = array_grow(maker->nodes, &maker->node_capacity,
					     maker->node_count + 1, sizeof(*nodes));
	struct path_edge *edge = &maker->edges[edge_index];
	uint32_t depth = parent == NONE ? 1 : nodes ? nodes[parent].depth + 1 : 0;

	if (!nodes || maker->node_count >= NONE) {
		maker->is_out_of_memory = true;
		return;
	}
	maker->nodes = nodes;
	if (depth > IMPORT_DEPTH_MAX) {
		parent = NONE;
		depth = 1;
	}
	part = part > 0 && isfinite(part) ? part : 0;
	nodes[maker->node_count] = (struct path_node){
		.edge = edge_index, .parent = parent, .depth = depth, .part = part, .total = total};
	if (edge->node_count++ == 0 && edge->caller != NONE)
		maker->functions[edge->caller].missing--;
	edge->parts += part;
	maker->functions[edge->callee].node_count++;
	heap_push(maker, (uint32_t)maker->node_count++);
}

static uint32_t function_of(const struct path_maker *maker, uint32_t node)
{
	return maker->edges[maker->nodes[node].edge].callee;
}

/* Count the functions on the path to node; false: it is too long to be looked at. */
static bool mark_path(struct path_maker *maker, uint32_t node, int change)
{
	uint32_t left = WALK_MAX;

	for (; node != NONE && left > 0; node = maker->nodes[node].parent, left--)
		maker->functions[function_of(maker, node)].open += (uint32_t)change;
	return node == NONE;
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
	double below; /* time of its callees, but of itself */
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
		node_add(maker, from->node, index, part, total);
}

static void expand(struct path_maker *maker, uint32_t index)
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
	if (function->own_edge != NONE && !from.is_recursive)
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
		expand(maker, heap_pop(maker));
}

/* ---- where paths begin
 * --------------------------------------------------------------------------- */

static void begin_at(struct path_maker *maker, const struct path_edge *outside)
{
	uint32_t edge = edge_add(maker, outside);

	if (edge != NONE)
		node_add(maker, NONE, edge, 1, outside->total);
}

/* Functions with more calls than all callers together made. */
static void add_roots(struct path_maker *maker)
{
	for (uint32_t i = 0; i < maker->graph->function_count; i++) {
		const struct graph_function *row = &maker->graph->functions[i];
		const struct path_function *function = &maker->functions[i];
		struct path_edge outside = {.caller = NONE, .callee = i};

		if (row->region == 0 || row->count <= function->incoming_count)
			continue;
		outside.count = row->count - function->incoming_count;
		outside.self = fmax(row->self - function->incoming_self, 0);
		outside.total = fmax(row->total - function->incoming, outside.self);
		begin_at(maker, &outside);
	}
}

struct by_total {
	uint32_t function;
	double total;
};

static int compare_totals(const void *left, const void *right)
{
	const struct by_total *a = left, *b = right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/* Circles that nothing outside of them calls: they begin where most of the time is. */
static void add_circles(struct path_maker *maker)
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
	qsort(order, count, sizeof(*order), compare_totals);
	for (uint32_t i = 0; i < count && !maker->is_out_of_memory; i++) {
		const struct graph_function *row = &maker->graph->functions[order[i].function];
		const struct path_function *function = &maker->functions[order[i].function];
		struct path_edge outside = {
			.caller = NONE, .callee = order[i].function, .total = order[i].total};

		if (function->node_count > 0 || row->region == 0)
			continue;
		if (function->incoming_count == 0)
			outside.self = row->self;
		begin_at(maker, &outside);
		expand_all(maker);
	}
	free(order);
}

/* ---- numbers
 * ------------------------------------------------------------------------------------- */

/* The part of its call that is the node's: parts add up to 1. */
static double share_of(const struct path_edge *edge, const struct path_node *node)
{
	return edge->parts > 0 ? node->part / edge->parts : 1 / (double)edge->node_count;
}

/* Whole calls: up to each node as many as its share and those before make. */
static uint64_t count_of(struct path_edge *edge, double share)
{
	uint64_t upto, count;

	edge->parts_before += share;
	upto = ++edge->nodes_before == edge->node_count || edge->parts_before >= 1
		       ? edge->count
		       : (uint64_t)((double)edge->count * edge->parts_before + 0.5);
	if (upto > edge->count)
		upto = edge->count;
	count = upto > edge->given ? upto - edge->given : 0;
	edge->given += count;
	return count;
}

static void measure(const struct path_maker *maker, struct imported *imported, uint32_t function,
		    uint32_t node, double share)
{
	const double *row = maker->graph->metrics + (size_t)function * imported->metric_count;

	for (uint32_t k = 0; k < imported->metric_count; k++) {
		if (row[k] != 0 && share > 0)
			imported_measure(imported, k, node, row[k] * share);
	}
}

/* share: of the function's metrics, as its time or else its calls are shared. */
static double function_share(const struct path_maker *maker, uint32_t function, uint64_t count,
			     double self)
{
	const struct graph_function *row = &maker->graph->functions[function];

	if (row->self > 0)
		return self / row->self;
	if (row->count > 0)
		return (double)count / (double)row->count;
	return 1 / (double)maker->functions[function].node_count;
}

static void put_nodes(struct path_maker *maker, struct imported *imported, uint32_t thread)
{
	for (size_t i = 0; i < maker->node_count && !imported->is_out_of_memory; i++) {
		struct path_node *node = &maker->nodes[i];
		struct path_edge *edge = &maker->edges[node->edge];
		const struct graph_function *row = &maker->graph->functions[edge->callee];
		double share = share_of(edge, node);
		uint64_t count = count_of(edge, share);
		double self = edge->self * share;
		uint32_t parent = node->parent == NONE ? imported_root(imported, thread)
						       : maker->nodes[node->parent].made;

		node->made = imported_child_new(imported, parent, row->region);
		imported_weigh(imported, node->made, count, self);
		if (maker->graph->metrics)
			measure(maker, imported, edge->callee, node->made,
				function_share(maker, edge->callee, count, self));
	}
}

/* Scaling cut counts to whole numbers: what is left over goes to the last call of a callee. */
static void even_counts(struct path_maker *maker)
{
	uint64_t *rest = calloc((size_t)maker->graph->function_count + 1, sizeof(*rest));

	if (!rest) {
		maker->is_out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < maker->graph->function_count; i++)
		rest[i] = maker->graph->functions[i].count;
	for (size_t i = 0; i < maker->edge_count; i++) {
		uint64_t *left = &rest[maker->edges[i].callee];

		*left -= maker->edges[i].count < *left ? maker->edges[i].count : *left;
	}
	for (size_t i = maker->edge_count; i-- > 0;) {
		uint64_t *left = &rest[maker->edges[i].callee];

		maker->edges[i].count += *left;
		*left = 0;
	}
	free(rest);
}

enum kymo_status graph_paths_make(struct call_paths_graph *graph, struct imported *imported,
				  uint32_t thread)
{
	struct path_maker maker = {.graph = graph};

	maker.functions = calloc((size_t)graph->function_count + 1, sizeof(*maker.functions));
	maker.is_out_of_memory = !maker.functions;
	if (!maker.is_out_of_memory) {
		merge_calls(graph);
		add_incoming(&maker);
		add_edges(&maker);
	}
	if (!maker.is_out_of_memory) {
		for (uint32_t i = 0; i < graph->function_count; i++)
			maker.all_total += graph->functions[i].self;
		scale_edges(&maker);
		add_roots(&maker);
		expand_all(&maker);
		add_circles(&maker);
		even_counts(&maker);
	}
	if (!maker.is_out_of_memory)
		put_nodes(&maker, imported, thread);
	free(maker.functions);
	free(maker.edges);
	free(maker.nodes);
	free(maker.heap);
	return maker.is_out_of_memory || imported->is_out_of_memory ? KYMO_MEMORY : KYMO_OK;
}
