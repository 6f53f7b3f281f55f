/* Call paths of counted functions: callers are known, paths are estimated, as for imported call
 * graphs (graph_paths.h).  Counts of calls are exact, times are estimates with intervals. */
#include "model/tree/build/calltree_counts.h"

#include <math.h>
#include <stdlib.h>

#include "model/functions/counted_cycles.h"
#include "model/functions/counted_flow.h"
#include "model/functions/counted_roots.h"
#include "model/functions/function_counts.h"
#include "model/functions/functions.h"
#include "model/recording/chunks.h"
#include "model/tree/build/calltree_build.h"
#include "model/tree/graph_paths.h"

/* The part of CPU time spent in interrupts: 1.2 % was measured in virtual machines with 250 timer
 * interrupts a second. */
#define INTERRUPTED 0.015

struct counted_thread {
	struct calltree *tree;
	uint32_t thread, whole;
	struct counted_calls calls;
	struct call_paths_graph graph;
	struct graph_path *paths;
	size_t path_count;
};

static void counts_fill_functions(struct counted_thread *counted)
{
	struct graph_function *functions = counted->graph.functions;

	for (uint32_t i = 0; i < counted->calls.function_count; i++) {
		const struct counted_function *from = &counted->calls.functions[i];

		functions[i] = (struct graph_function){
			.region = functions_region(counted->tree->recording, from->id),
			.count = from->calls,
			.self = from->self.value,
			.total = from->total.value,
		};
	}
}

/* This caller's part of the callee's own time. */
static double edge_self(const struct counted_edge *edge, const struct counted_function *callee)
{
	if (callee->visits.value > 0)
		return callee->self.value * fmin(edge->total.value / callee->visits.value, 1);
	return callee->calls ? callee->self.value * edge->calls / (double)callee->calls : 0;
}

/* Edges are sorted by callee: each gets whole calls, which add up to the known sum. */
static void fill_calls(struct counted_thread *counted)
{
	const struct counted_calls *calls = &counted->calls;
	struct call_paths_graph *graph = &counted->graph;
	uint32_t last = COUNTED_OUTSIDE;
	double upto = 0, before = 0;

	for (size_t i = 0; i < calls->edge_count; i++) {
		const struct counted_edge *edge = &calls->edges[i];
		const struct counted_function *callee = &calls->functions[edge->callee];
		double all = (double)callee->calls;

		if (edge->callee != last)
			upto = before = 0;
		last = edge->callee;
		upto = fmin(upto + edge->calls, all);
		if (edge->caller != COUNTED_OUTSIDE) {
			bool is_last = i + 1 == calls->edge_count ||
				       calls->edges[i + 1].callee != edge->callee;
			double end = is_last ? all : floor(upto + 0.5);

			graph->calls[graph->call_count++] = (struct graph_call){
				.caller = edge->caller,
				.callee = edge->callee,
				.count = end > before ? (uint64_t)(end - before) : 0,
				.self = edge_self(edge, callee),
				.total = edge->total.value,
				.has_self = true,
			};
			before = fmax(end, before);
		}
	}
}

static enum kymo_status make_paths(struct counted_thread *counted)
{
	struct call_paths_graph *graph = &counted->graph;
	enum kymo_status status = KYMO_MEMORY;

	graph->function_count = counted->calls.function_count;
	graph->functions = calloc((size_t)graph->function_count + 1, sizeof(*graph->functions));
	graph->calls = calloc(counted->calls.edge_count + 1, sizeof(*graph->calls));
	if (graph->functions && graph->calls) {
		counts_fill_functions(counted);
		fill_calls(counted);
		status = graph_paths_new(graph, &counted->paths, &counted->path_count);
	}
	return status;
}

static void counts_add_up(struct calltree_node *nodes, size_t count, uint32_t first)
{
	for (size_t i = count; i-- > 0;)
		if (nodes[i].parent >= first && nodes[i].parent != CALLTREE_NONE)
			nodes[nodes[i].parent - first].sum_ns += nodes[i].sum_ns;
}

/* Bounds of the calls of a function by another, and how many paths share them. */
struct counted_interval {
	double low, high;
	uint32_t paths;
};

static int counts_compare_calls(const void *left, const void *right)
{
	const struct graph_call *a = left, *b = right;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* Calls of the graph are sorted by caller and callee; calls from outside come last. */
static struct counted_interval *counts_interval_of(const struct counted_thread *counted,
						   struct counted_interval *intervals,
						   uint32_t caller, uint32_t callee)
{
	const struct call_paths_graph *graph = &counted->graph;
	const struct graph_call key = {.caller = caller, .callee = callee}, *found;

	found = caller == COUNTED_OUTSIDE ? NULL
					  : bsearch(&key, graph->calls, graph->call_count,
						    sizeof(key), counts_compare_calls);
	return found ? &intervals[found - graph->calls] : &intervals[graph->call_count + callee];
}

static uint32_t calltree_counts_caller_of(const struct counted_thread *counted,
					  const struct graph_path *path)
{
	return path->parent == GRAPH_NONE ? COUNTED_OUTSIDE : counted->paths[path->parent].function;
}

/* The path of a call is not known: of calls that several paths share each may have any number. */
static void counts_put_interval(const struct counted_interval *interval, struct calltree_node *node)
{
	double count = (double)node->count;
	double low = fmin(interval->paths > 1 ? 0 : interval->low, count),
	       high = fmax(interval->high, count);

	node->is_count_estimated = low < high;
	node->count_low = (uint64_t)low;
	node->count_high = (uint64_t)high;
}

static bool counts_put_intervals(const struct counted_thread *counted, struct calltree_node *nodes)
{
	const struct counted_calls *calls = &counted->calls;
	struct counted_interval *intervals = calloc(
		counted->graph.call_count + (size_t)calls->function_count + 1, sizeof(*intervals));

	if (!intervals)
		return false;
	for (size_t i = 0; i < calls->edge_count; i++) {
		const struct counted_edge *edge = &calls->edges[i];
		struct counted_interval *interval =
			counts_interval_of(counted, intervals, edge->caller, edge->callee);

		interval->low += edge->calls_low;
		interval->high += edge->calls_high;
	}
	for (size_t i = 0; i < counted->path_count; i++) {
		const struct graph_path *path = &counted->paths[i];

		counts_interval_of(counted, intervals, calltree_counts_caller_of(counted, path),
				   path->function)
			->paths++;
	}
	for (size_t i = 0; i < counted->path_count; i++) {
		const struct graph_path *path = &counted->paths[i];

		counts_put_interval(counts_interval_of(counted, intervals,
						       calltree_counts_caller_of(counted, path),
						       path->function),
				    &nodes[i]);
		counted->tree->has_estimated_counts |= nodes[i].is_count_estimated;
	}
	free(intervals);
	return true;
}

static enum kymo_status add_paths(struct counted_thread *counted)
{
	struct calltree *tree = counted->tree;
	uint32_t first = tree->node_count;
	double tick_ns = recording_tick_ns(tree->recording);
	struct calltree_node *nodes = calltree_reserve(tree, counted->path_count);

	if (!nodes)
		return KYMO_MEMORY;
	for (size_t i = 0; i < counted->path_count; i++) {
		const struct graph_path *path = &counted->paths[i];

		nodes[i] = (struct calltree_node){
			.region = counted->graph.functions[path->function].region,
			.thread = counted->thread,
			.parent =
				path->parent == GRAPH_NONE ? counted->whole : first + path->parent,
			.count = path->count,
			.sum_ns = path->self * tick_ns,
		};
	}
	counts_add_up(nodes, counted->path_count, first);
	if (!counts_put_intervals(counted, nodes))
		return KYMO_MEMORY;
	tree->node_count += (uint32_t)counted->path_count;
	return KYMO_OK;
}

static struct calltree_estimated estimated(const struct counted_thread *counted,
					   const struct counted_estimate *total,
					   const struct counted_estimate *self)
{
	double tick_ns = recording_tick_ns(counted->tree->recording);

	return (struct calltree_estimated){
		.thread = counted->thread,
		.caller = CALLTREE_NONE,
		.estimate =
			{
				.is_known = true,
				.has_unsure_calls = true,
				.total_ns = total->value * tick_ns,
				.self_ns = self->value * tick_ns,
				.total_below_ns = total->below * tick_ns,
				.total_above_ns = total->above * tick_ns,
				.self_below_ns = self->below * tick_ns,
				.self_above_ns = self->above * tick_ns,
				.total_off_below_ns = total->off_below * tick_ns,
				.total_off_above_ns = total->off_above * tick_ns,
				.self_off_below_ns = self->off_below * tick_ns,
				.self_off_above_ns = self->off_above * tick_ns,
			},
	};
}

/* Threads are timed independently of each other. */
static enum kymo_status add_estimates(struct counted_thread *counted)
{
	const struct counted_calls *calls = &counted->calls;
	const struct recording *recording = counted->tree->recording;
	struct calltree *tree = counted->tree;
	size_t more = calls->function_count + calls->edge_count;
	struct calltree_estimated *all =
		realloc(tree->estimated, (tree->estimated_count + more + 1) * sizeof(*all));

	if (!all)
		return KYMO_MEMORY;
	tree->estimated = all;
	all += tree->estimated_count;
	for (uint32_t i = 0; i < calls->function_count; i++) {
		const struct counted_function *from = &calls->functions[i];

		*all = estimated(counted, &from->total, &from->self);
		all++->region = functions_region(recording, from->id);
	}
	for (size_t i = 0; i < calls->edge_count; i++) {
		const struct counted_edge *from = &calls->edges[i];

		*all = estimated(counted, &from->total, &(struct counted_estimate){0});
		all->caller =
			from->caller == COUNTED_OUTSIDE
				? tree->nodes[counted->whole].region
				: functions_region(recording, calls->functions[from->caller].id);
		/* Paths show the outermost of recursive calls only. */
		if (from->caller == COUNTED_OUTSIDE || from->caller == from->callee)
			all->estimate = (struct calltree_estimate){.has_unsure_calls = true};
		all->estimate.calls = from->calls;
		all->estimate.calls_below = from->calls - from->calls_low;
		all->estimate.calls_above = from->calls_high - from->calls;
		all++->region = functions_region(recording, calls->functions[from->callee].id);
	}
	tree->estimated_count = (size_t)(all - tree->estimated);
	return KYMO_OK;
}

enum kymo_status calltree_count_estimated(struct calltree *tree)
{
	bool *is_seen = calloc(tree->recording->region_count + (size_t)1, sizeof(*is_seen));

	if (!is_seen)
		return KYMO_MEMORY;
	for (size_t i = 0; i < tree->estimated_count; i++) {
		tree->estimated_functions += !is_seen[tree->estimated[i].region];
		is_seen[tree->estimated[i].region] = true;
	}
	free(is_seen);
	return KYMO_OK;
}

/* Preemption is excluded from the times of timed calls, so from those of all calls too. */
static double leave_off_out(struct calltree *tree, uint32_t thread, uint32_t whole)
{
	double tick_ns = recording_tick_ns(tree->recording);
	double off_ns = fmin((double)tree->recording->threads[thread].off_ticks * tick_ns,
			     tree->nodes[whole].sum_ns);

	calltree_leave_out(tree, whole, off_ns);
	tree->off_ns += off_ns;
	return off_ns / tick_ns;
}

/* The rest of the time for which the thread was ready but not running is somewhere in its calls. */
static double counts_waited_of(const struct recording *recording, uint32_t thread, double off)
{
	return fmax((double)recording->threads[thread].waited_ns / recording_tick_ns(recording) -
			    off,
		    0);
}

/* Saturates at a third of the time. */
static double crowded_of(const struct calltree *tree, uint32_t whole, double off)
{
	double ran = tree->nodes[whole].sum_ns / recording_tick_ns(tree->recording);

	return ran > 0 ? fmin(2 * off / ran, 1) : 0;
}

static enum kymo_status counts_add_thread(struct calltree *tree, uint32_t thread, uint32_t whole)
{
	struct counted_thread counted = {.tree = tree, .thread = thread, .whole = whole};
	enum kymo_status status =
		function_counts_read(tree->recording, thread, &counted.calls, &tree->dropped_count);

	if (status == KYMO_OK) {
		double off = leave_off_out(tree, thread, whole);

		for (uint32_t i = 0; i < counted.calls.function_count; i++)
			tree->timed_call_count += counted.calls.functions[i].timed;
		counted.calls.timing = (double)tree->recording->functions->timing_ticks;
		counted.calls.interrupted = INTERRUPTED;
		counted.calls.waited = counts_waited_of(tree->recording, thread, off);
		counted.calls.crowded = crowded_of(tree, whole, off);
		counted.calls.most = tree->nodes[whole].sum_ns / recording_tick_ns(tree->recording);
		status = counted_roots_nest(&counted.calls);
	}
	if (status == KYMO_OK) {
		counted_calls_estimate(&counted.calls);
		status = counted_flow_estimate(&counted.calls);
	}
	if (status == KYMO_OK) {
		status = counted_cycles_estimate(&counted.calls);
	}
	if (status == KYMO_OK)
		status = make_paths(&counted);
	if (status == KYMO_OK)
		status = add_paths(&counted);
	if (status == KYMO_OK)
		status = add_estimates(&counted);
	function_counts_release(&counted.calls);
	free(counted.graph.functions);
	free(counted.graph.calls);
	free(counted.paths);
	return status;
}

enum kymo_status calltree_add_counts(struct calltree *tree)
{
	const struct recording *recording = tree->recording;
	enum kymo_status status = KYMO_OK;
	uint32_t *wholes;
	size_t count;

	chunks_of(recording, KYMO_CHUNK_TIMED, &count);
	if (!recording->functions || !count)
		return KYMO_OK;
	wholes = calltree_wholes(tree);
	if (!wholes)
		status = KYMO_MEMORY;
	for (uint32_t i = 0; i < recording->thread_count && status == KYMO_OK; i++) {
		chunks_of_thread(recording, KYMO_CHUNK_TIMED, i, &count);
		if (count && wholes[i] != CALLTREE_NONE)
			status = counts_add_thread(tree, i, wholes[i]);
	}
	free(wholes);
	return status == KYMO_OK ? calltree_count_estimated(tree) : status;
}
