/* Call paths from a call graph.
 *
 * First the shape, by graph_shape.c, with an estimate for each path of its share of its last call.
 * Then the numbers: the values of a call are divided among the paths that end with it, by those
 * estimates, without a remainder.  So sums over paths equal the graph's values, however rough an
 * estimate is, and whatever was left out. */
#include "model/tree/graph_paths.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/tree/graph_shape.h"
#include "model/tree/path_maker.h"

static int paths_compare_calls(const void *left, const void *right)
{
	const struct graph_call *a = left, *b = right;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* One call per pair. */
static void merge_calls(struct call_paths_graph *graph)
{
	size_t kept = 0;

	if (graph->call_count == 0)
		return;
	qsort(graph->calls, graph->call_count, sizeof(*graph->calls), paths_compare_calls);
	for (size_t i = 1; i < graph->call_count; i++) {
		struct graph_call *last = &graph->calls[kept], *call = &graph->calls[i];

		if (paths_compare_calls(last, call) != 0) {
			graph->calls[++kept] = *call;
			continue;
		}
		last->count += call->count;
		last->self += call->self;
		last->total += call->total;
	}
	graph->call_count = kept + 1;
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

/* This call's part of the callee's own time. */
static double paths_self_of(const struct path_maker *maker, const struct graph_call *call)
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

static void paths_add_edges(struct path_maker *maker)
{
	struct call_paths_graph *graph = maker->graph;

	for (uint32_t i = 0; i < graph->function_count; i++)
		maker->functions[i].own_edge = GRAPH_NONE;
	for (size_t i = 0; i < graph->call_count; i++) {
		const struct graph_call *call = &graph->calls[i];
		struct path_function *caller = &maker->functions[call->caller];
		struct path_edge edge = {.caller = call->caller,
					 .callee = call->callee,
					 .count = call->count,
					 .self = paths_self_of(maker, call),
					 .total = call->total};
		uint32_t index = path_maker_edge(maker, &edge);

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

/* Calls have to add up to their callee's total: if they exceed it, each is reduced. */
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

/* The node's part of its call: parts add up to 1. */
static double paths_share_of(const struct path_edge *edge, const struct path_node *node)
{
	return edge->parts > 0 ? node->part / edge->parts : 1 / (double)edge->node_count;
}

/* Whole calls: cumulative rounding over the shares. */
static uint64_t paths_count_of(struct path_edge *edge, double share)
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

static void put_paths(struct path_maker *maker, struct graph_path *paths)
{
	for (size_t i = 0; i < maker->node_count; i++) {
		struct path_node *node = &maker->nodes[i];
		struct path_edge *edge = &maker->edges[node->edge];
		double share = paths_share_of(edge, node);
		uint64_t count = paths_count_of(edge, share);
		double self = edge->self * share;

		paths[i] = (struct graph_path){
			.parent = node->parent,
			.function = edge->callee,
			.count = count,
			.self = self,
			.share = function_share(maker, edge->callee, count, self),
		};
	}
}

/* Scaling rounded counts down: the remainder goes to the last call of a callee. */
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

enum kymo_status graph_paths_new(struct call_paths_graph *graph, struct graph_path **paths_out,
				 size_t *count_out)
{
	struct path_maker maker = {.graph = graph};
	struct graph_path *paths = NULL;

	maker.functions = calloc((size_t)graph->function_count + 1, sizeof(*maker.functions));
	maker.is_out_of_memory = !maker.functions;
	if (!maker.is_out_of_memory) {
		merge_calls(graph);
		add_incoming(&maker);
		paths_add_edges(&maker);
	}
	if (!maker.is_out_of_memory) {
		for (uint32_t i = 0; i < graph->function_count; i++)
			maker.all_total += graph->functions[i].self;
		scale_edges(&maker);
		path_maker_shape(&maker);
		even_counts(&maker);
	}
	if (!maker.is_out_of_memory)
		paths = calloc(maker.node_count + 1, sizeof(*paths));
	if (paths) {
		put_paths(&maker, paths);
		*paths_out = paths;
		*count_out = maker.node_count;
	}
	free(maker.functions);
	free(maker.edges);
	free(maker.nodes);
	free(maker.heap);
	return paths ? KYMO_OK : KYMO_MEMORY;
}
