/* Call graphs of callgrind files, and their conversion to call paths. */
#include "import/formats/callgrind_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "import/function_names.h"
#include "import/text_lines.h"

struct callgrind_key {
	const struct callgrind_graph *graph;
	struct span object, file, name;
};

static bool graph_is_same(struct span a, struct span b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static bool graph_match(uint64_t value, const void *data)
{
	const struct callgrind_key *key = data;
	const struct callgrind_function *function = &key->graph->functions[value - 1];

	return graph_is_same(function->name, key->name) &&
	       graph_is_same(function->file, key->file) &&
	       graph_is_same(function->object, key->object);
}

uint32_t callgrind_function(struct callgrind_graph *graph, struct span object, struct span file,
			    struct span name)
{
	const struct callgrind_key key = {graph, object, file, name};
	uint64_t hash = hash_bytes(HASH_SEED, name.at, name.size), found;
	struct callgrind_function *grown;

	hash = hash_bytes(hash ^ file.size, file.at, file.size);
	hash = hash_word(hash_bytes(hash ^ object.size, object.at, object.size));
	found = hashset_find(&graph->index, hash, graph_match, &key);
	if (found)
		return (uint32_t)found - 1;
	grown = graph->function_count < CALLGRIND_NONE - 1
			? array_grow(graph->functions, &graph->function_capacity,
				     graph->function_count + 1, sizeof(*grown))
			: NULL;
	if (!grown)
		return CALLGRIND_NONE;
	graph->functions = grown;
	grown[graph->function_count++] =
		(struct callgrind_function){.object = object, .file = file, .name = name};
	if (!hashset_insert(&graph->index, hash, graph->function_count))
		return CALLGRIND_NONE;
	return (uint32_t)graph->function_count - 1;
}

bool callgrind_call(struct callgrind_graph *graph, const struct graph_call *call)
{
	struct graph_call *grown = array_grow(graph->calls, &graph->call_capacity,
					      graph->call_count + 1, sizeof(*grown));

	if (!grown)
		return false;
	graph->calls = grown;
	grown[graph->call_count++] = *call;
	return true;
}

void callgrind_graph_release(struct callgrind_graph *graph)
{
	free(graph->functions);
	free(graph->calls);
	hashset_release(&graph->index);
	*graph = (struct callgrind_graph){0};
}

static uint32_t graph_region_of(struct imported *imported, const struct callgrind_function *from)
{
	struct imported_function function = {.name = from->name, .line = from->line};

	if (!span_equals(from->file, "???"))
		function.file = from->file;
	if (!span_equals(from->object, "???"))
		function.module = from->object;
	function.kind = function_kind(function.file);
	return imported_region(imported, &function);
}

/* Remove callers that only name the thread; the thread gets their name. */
static void drop_thread_roots(struct callgrind_graph *graph, struct imported *imported,
			      uint32_t thread, const bool *is_called)
{
	size_t kept = 0;

	for (size_t i = 0; i < graph->call_count; i++) {
		uint32_t caller = graph->calls[i].caller;
		const struct callgrind_function *function = &graph->functions[caller];

		if (is_called[caller] || function->costs[0] > 0)
			graph->calls[kept++] = graph->calls[i];
		else
			imported_thread_name(imported, thread, function->name);
	}
	graph->call_count = kept;
}

/* Numbers of functions: calls are the counted ones, or one for a function without callers. */
static void graph_fill_functions(const struct callgrind_graph *graph, struct imported *imported,
				 struct graph_function *functions, double *metrics)
{
	for (size_t i = 0; i < graph->function_count; i++) {
		const struct callgrind_function *from = &graph->functions[i];

		functions[i].region = graph_region_of(imported, from);
		functions[i].self = functions[i].total = from->costs[0];
		for (uint32_t k = 0; k < imported->metric_count; k++)
			metrics[i * imported->metric_count + k] = from->costs[k + 1];
	}
	for (size_t i = 0; i < graph->call_count; i++) {
		const struct graph_call *call = &graph->calls[i];

		functions[call->callee].count += call->count;
		if (call->caller != call->callee)
			functions[call->caller].total += call->total;
	}
	for (size_t i = 0; i < graph->function_count; i++) {
		if (functions[i].count == 0)
			functions[i].count = 1;
	}
}

static enum kymo_status graph_make(struct callgrind_graph *graph, struct imported *imported,
				   bool has_thread_roots, struct call_paths_graph *paths,
				   double *metrics, bool *is_called)
{
	uint32_t process = imported_process(imported, graph->pid);
	uint32_t thread = imported_thread(imported, process, graph->thread);

	for (size_t i = 0; i < graph->call_count; i++)
		is_called[graph->calls[i].callee] = true;
	graph_fill_functions(graph, imported, paths->functions, metrics);
	if (has_thread_roots)
		drop_thread_roots(graph, imported, thread, is_called);
	/* The removed roots are no longer functions. */
	for (size_t i = 0; has_thread_roots && i < graph->function_count; i++) {
		if (!is_called[i] && graph->functions[i].costs[0] <= 0)
			paths->functions[i].region = 0;
	}
	paths->calls = graph->calls;
	paths->call_count = graph->call_count;
	return imported_graph_add(paths, metrics, imported, thread);
}

enum kymo_status callgrind_graph_finish(struct callgrind_graph *graph, struct imported *imported,
					bool has_thread_roots)
{
	size_t count = graph->function_count + 1;
	bool *is_called = calloc(count, sizeof(*is_called));
	double *metrics = calloc(count * (imported->metric_count + 1), sizeof(*metrics));
	struct graph_function *functions = calloc(count, sizeof(*functions));
	struct call_paths_graph paths = {
		.functions = functions,
		.function_count = (uint32_t)graph->function_count,
	};
	enum kymo_status status = KYMO_MEMORY;

	if (is_called && metrics && functions)
		status = graph_make(graph, imported, has_thread_roots, &paths, metrics, is_called);
	free(is_called);
	free(metrics);
	free(functions);
	return status;
}
