/* Functions, their lines and calls, each found by its key. */
#include "export/call_graph.h"

#include <stdlib.h>
#include <string.h>

#include "command/xalloc.h"
#include "export/formats/pstats_table.h"

struct function_key {
	const struct call_graph *graph;
	const struct graph_function *function;
};

static bool graph_is_same_file(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

static bool graph_function_match(uint64_t value, const void *data)
{
	const struct function_key *key = data;
	const struct graph_function *have = &key->graph->functions[value - 1];
	const struct graph_function *want = key->function;

	return have->line == want->line && strcmp(have->name, want->name) == 0 &&
	       graph_is_same_file(have->file, want->file);
}

static bool file_match(uint64_t value, const void *data)
{
	const struct function_key *key = data;

	return graph_is_same_file(key->graph->functions[value - 1].file, key->function->file);
}

static bool graph_name_match(uint64_t value, const void *data)
{
	const struct function_key *key = data;
	const struct graph_function *have = &key->graph->functions[value - 1];

	return strcmp(have->name, key->function->name) == 0 &&
	       graph_is_same_file(have->file, key->function->file);
}

static uint64_t hash_file(const char *file)
{
	return file ? hash_bytes(HASH_SEED, file, strlen(file)) : HASH_SEED;
}

/* Find the first function with that file and name. */
static void function_compare(struct call_graph *graph, struct graph_function *function)
{
	struct function_key key = {graph, function};
	uint64_t file_hash = hash_word(hash_file(function->file));
	uint64_t name_hash = hash_word(
		hash_bytes(hash_file(function->file), function->name, strlen(function->name)));
	uint64_t next = graph->function_count + 1;
	uint64_t owner = hashset_find(&graph->file_index, file_hash, file_match, &key);

	if (!owner)
		xhashset_insert(&graph->file_index, file_hash, next);
	function->file_owner = (uint32_t)(owner ? owner : next) - 1;
	function->is_namesake =
		hashset_find(&graph->name_index, name_hash, graph_name_match, &key) != 0;
	if (!function->is_namesake)
		xhashset_insert(&graph->name_index, name_hash, next);
}

static uint32_t graph_function_append(struct call_graph *graph, struct graph_function *function,
				      uint64_t hash)
{
	graph->functions = xgrow(graph->functions, &graph->function_capacity,
				 graph->function_count + 1, sizeof(*graph->functions));
	function_compare(graph, function);
	graph->functions[graph->function_count] = *function;
	xhashset_insert(&graph->function_index, hash, graph->function_count + 1);
	return (uint32_t)graph->function_count++;
}

/* The function's index, found or added; takes the name. */
static uint32_t graph_function_get(struct call_graph *graph, struct graph_function *wanted)
{
	struct function_key key = {graph, wanted};
	uint64_t hash, found;

	hash = hash_bytes(hash_file(wanted->file), &wanted->line, sizeof(wanted->line));
	hash = hash_word(hash_bytes(hash, wanted->name, strlen(wanted->name)));
	found = hashset_find(&graph->function_index, hash, graph_function_match, &key);
	if (!found)
		return graph_function_append(graph, wanted, hash);
	xfree(wanted->name);
	return (uint32_t)found - 1;
}

static char *graph_name_of(const struct call_graph *graph, const struct region *region)
{
	struct region named = *region;

	if (graph->has_qualnames && region->kind == KYMO_REGION_PYTHON && region->qualname)
		named.name = region->qualname;
	return pstats_function_name(&named);
}

uint32_t call_graph_function(struct call_graph *graph, const struct region *region)
{
	bool is_native =
		region->kind != KYMO_REGION_PYTHON_C && region->kind != KYMO_REGION_PYTHON_METHOD;
	struct graph_function wanted = {
		.name = graph_name_of(graph, region),
		.file = region->file ? region->file
			: is_native  ? region->module
				     : NULL,
		.is_source = region->file != NULL,
	};

	if (region->file && !(graph->has_lines && (region->flags & REGION_IS_LINE)))
		wanted.line = region->line;
	return graph_function_get(graph, &wanted);
}

uint32_t call_graph_root(struct call_graph *graph, const char *name)
{
	struct graph_function wanted = {.name = xstrdup(name)};

	return graph_function_get(graph, &wanted);
}

struct cost_key {
	const struct call_graph *graph;
	uint32_t function, line;
};

static bool cost_match(uint64_t value, const void *data)
{
	const struct cost_key *key = data;
	const struct graph_cost *cost = &key->graph->costs[value - 1];

	return cost->function == key->function && cost->line == key->line;
}

struct graph_cost *call_graph_cost(struct call_graph *graph, uint32_t function, uint32_t line)
{
	struct cost_key key = {graph, function, line};
	uint64_t hash = hash_pair(function, line);
	uint64_t found = hashset_find(&graph->cost_index, hash, cost_match, &key);

	if (found)
		return &graph->costs[found - 1];
	graph->costs = xgrow(graph->costs, &graph->cost_capacity, graph->cost_count + 1,
			     sizeof(*graph->costs));
	xhashset_insert(&graph->cost_index, hash, graph->cost_count + 1);
	graph->costs[graph->cost_count] = (struct graph_cost){.function = function, .line = line};
	return &graph->costs[graph->cost_count++];
}

struct call_key {
	const struct call_graph *graph;
	uint32_t caller, line, callee;
};

static bool call_match(uint64_t value, const void *data)
{
	const struct call_key *key = data;
	const struct graph_call *call = &key->graph->calls[value - 1];

	return call->caller == key->caller && call->line == key->line &&
	       call->callee == key->callee;
}

uint32_t call_graph_call(struct call_graph *graph, uint32_t caller, uint32_t line, uint32_t callee)
{
	struct call_key key = {graph, caller, line, callee};
	uint64_t hash = hash_word(hash_pair(caller, callee) ^ line);
	uint64_t found = hashset_find(&graph->call_index, hash, call_match, &key);

	if (found)
		return (uint32_t)found - 1;
	graph->calls = xgrow(graph->calls, &graph->call_capacity, graph->call_count + 1,
			     sizeof(*graph->calls));
	xhashset_insert(&graph->call_index, hash, graph->call_count + 1);
	graph->calls[graph->call_count] =
		(struct graph_call){.caller = caller, .line = line, .callee = callee};
	return (uint32_t)graph->call_count++;
}

static int graph_compare(uint32_t left, uint32_t right)
{
	return left < right ? -1 : left > right;
}

static int compare_costs(const void *left, const void *right)
{
	const struct graph_cost *a = left, *b = right;
	int order = graph_compare(a->function, b->function);

	return order ? order : graph_compare(a->line, b->line);
}

static int graph_compare_calls(const void *left, const void *right)
{
	const struct graph_call *a = left, *b = right;
	int order = graph_compare(a->caller, b->caller);

	if (order == 0)
		order = graph_compare(a->line, b->line);
	return order ? order : graph_compare(a->callee, b->callee);
}

void call_graph_sort(struct call_graph *graph)
{
	if (graph->cost_count)
		qsort(graph->costs, graph->cost_count, sizeof(*graph->costs), compare_costs);
	if (graph->call_count)
		qsort(graph->calls, graph->call_count, sizeof(*graph->calls), graph_compare_calls);
}

void call_graph_clear(struct call_graph *graph)
{
	for (size_t i = 0; i < graph->function_count; i++) {
		struct graph_function *function = &graph->functions[i];

		function->count = function->self = function->total = 0;
		function->open = 0;
	}
	graph->cost_count = graph->call_count = 0;
	hashset_release(&graph->cost_index);
	hashset_release(&graph->call_index);
}

void call_graph_release(struct call_graph *graph)
{
	for (size_t i = 0; i < graph->function_count; i++)
		xfree(graph->functions[i].name);
	xfree(graph->functions);
	xfree(graph->costs);
	xfree(graph->calls);
	hashset_release(&graph->function_index);
	hashset_release(&graph->name_index);
	hashset_release(&graph->file_index);
	hashset_release(&graph->cost_index);
	hashset_release(&graph->call_index);
	*graph = (struct call_graph){0};
}
