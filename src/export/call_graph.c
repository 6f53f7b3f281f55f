/* Functions and calls from call-path trees.
 * A walk through a thread's tree knows of each function, and of each call, how often it is
 * open: time counts where it was not, so recursion counts once. */
#include "export/call_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "export/pstats_table.h"
#include "export/tree_paths.h"

/* ---- functions --------------------------------------------------------------------------- */

struct function_key {
	const struct call_graph *graph;
	const struct graph_function *function;
};

static bool is_same_file(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

static bool function_match(uint64_t value, const void *data)
{
	const struct function_key *key = data;
	const struct graph_function *have = &key->graph->functions[value - 1];
	const struct graph_function *want = key->function;

	return have->line == want->line && strcmp(have->name, want->name) == 0 &&
	       is_same_file(have->file, want->file);
}

static bool file_match(uint64_t value, const void *data)
{
	const struct function_key *key = data;

	return is_same_file(key->graph->functions[value - 1].file, key->function->file);
}

static uint64_t hash_file(const char *file)
{
	return file ? hash_bytes(HASH_SEED, file, strlen(file)) : HASH_SEED;
}

static uint32_t function_append(struct call_graph *graph, struct graph_function *function,
				uint64_t hash)
{
	struct function_key key = {graph, function};
	uint64_t file_hash = hash_word(hash_file(function->file)), owner;
	void *grown = array_grow(graph->functions, &graph->function_capacity,
				 graph->function_count + 1, sizeof(*graph->functions));

	if (!grown)
		return CALL_GRAPH_NONE;
	graph->functions = grown;
	owner = hashset_find(&graph->file_index, file_hash, file_match, &key);
	if (!owner) {
		owner = graph->function_count + 1;
		if (!hashset_insert(&graph->file_index, file_hash, owner))
			return CALL_GRAPH_NONE;
	}
	function->file_owner = (uint32_t)owner - 1;
	graph->functions[graph->function_count] = *function;
	if (!hashset_insert(&graph->function_index, hash, graph->function_count + 1))
		return CALL_GRAPH_NONE;
	return (uint32_t)graph->function_count++;
}

/* The function's position, found or made; takes the name. */
static uint32_t function_get(struct call_graph *graph, struct graph_function *wanted)
{
	struct function_key key = {graph, wanted};
	uint32_t position;
	uint64_t hash, found;

	if (!wanted->name)
		return CALL_GRAPH_NONE;
	hash = hash_bytes(hash_file(wanted->file), &wanted->line, sizeof(wanted->line));
	hash = hash_word(hash_bytes(hash, wanted->name, strlen(wanted->name)));
	found = hashset_find(&graph->function_index, hash, function_match, &key);
	position = found ? (uint32_t)found - 1 : function_append(graph, wanted, hash);
	if (found || position == CALL_GRAPH_NONE)
		free(wanted->name);
	return position;
}

static uint32_t function_of_region(struct call_graph *graph, const struct region *region)
{
	bool is_native =
		region->kind != KYMO_REGION_PYTHON_C && region->kind != KYMO_REGION_PYTHON_METHOD;
	struct graph_function wanted = {
		.name = pstats_function_name(region),
		.file = region->file ? region->file
			: is_native  ? region->module
				     : NULL,
		.is_source = region->file != NULL,
	};

	if (region->file && !(graph->has_lines && (region->flags & REGION_IS_LINE)))
		wanted.line = region->line;
	return function_get(graph, &wanted);
}

static uint32_t function_of_root(struct call_graph *graph, const char *name)
{
	struct graph_function wanted = {.name = strdup(name)};

	return function_get(graph, &wanted);
}

/* ---- costs and calls ----------------------------------------------------------------------- */

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

static struct graph_cost *cost_of(struct call_graph *graph, uint32_t function, uint32_t line)
{
	struct cost_key key = {graph, function, line};
	uint64_t hash = hash_pair(function, line);
	uint64_t found = hashset_find(&graph->cost_index, hash, cost_match, &key);
	void *grown;

	if (found)
		return &graph->costs[found - 1];
	grown = array_grow(graph->costs, &graph->cost_capacity, graph->cost_count + 1,
			   sizeof(*graph->costs));
	if (!grown)
		return NULL;
	graph->costs = grown;
	if (!hashset_insert(&graph->cost_index, hash, graph->cost_count + 1))
		return NULL;
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

/* The call's position, found or made. */
static uint32_t call_of(struct call_graph *graph, uint32_t caller, uint32_t line, uint32_t callee)
{
	struct call_key key = {graph, caller, line, callee};
	uint64_t hash = hash_word(hash_pair(caller, callee) ^ line);
	uint64_t found = hashset_find(&graph->call_index, hash, call_match, &key);
	void *grown;

	if (found)
		return (uint32_t)found - 1;
	grown = array_grow(graph->calls, &graph->call_capacity, graph->call_count + 1,
			   sizeof(*graph->calls));
	if (!grown)
		return CALL_GRAPH_NONE;
	graph->calls = grown;
	if (!hashset_insert(&graph->call_index, hash, graph->call_count + 1))
		return CALL_GRAPH_NONE;
	graph->calls[graph->call_count] =
		(struct graph_call){.caller = caller, .line = line, .callee = callee};
	return (uint32_t)graph->call_count++;
}

/* ---- a thread's tree ------------------------------------------------------------------------- */

struct graph_walk {
	struct call_graph *graph;
	const struct call_graph_part *part;
	uint32_t root;
	uint32_t *functions; /* by region: position, CALL_GRAPH_NONE = not known yet */
	/* By node: */
	uint32_t *shown;	  /* itself or the nearest caller that is shown, NONE above all */
	uint32_t *calls;	  /* the call that it is one of, while it is open */
	uint64_t *self, *sum;	  /* times */
	uint64_t *visits, *below; /* calls or samples: of itself, and with all below it */
};

static bool walk_init(struct graph_walk *walk)
{
	size_t nodes = (size_t)walk->part->tree->node_count + 1;
	size_t regions = (size_t)walk->part->tree->recording->region_count + 1;

	walk->functions = malloc(regions * sizeof(*walk->functions));
	walk->shown = malloc(nodes * sizeof(*walk->shown));
	walk->calls = malloc(nodes * sizeof(*walk->calls));
	walk->self = calloc(nodes, sizeof(*walk->self));
	walk->sum = calloc(nodes, sizeof(*walk->sum));
	walk->visits = calloc(nodes, sizeof(*walk->visits));
	walk->below = calloc(nodes, sizeof(*walk->below));
	if (!walk->functions || !walk->shown || !walk->calls || !walk->self || !walk->sum ||
	    !walk->visits || !walk->below)
		return false;
	memset(walk->functions, 0xff, regions * sizeof(*walk->functions));
	return true;
}

static void walk_release(struct graph_walk *walk)
{
	free(walk->functions);
	free(walk->shown);
	free(walk->calls);
	free(walk->self);
	free(walk->sum);
	free(walk->visits);
	free(walk->below);
}

static bool is_shown(const struct graph_walk *walk, const struct calltree_node *node)
{
	if (node->parent == CALLTREE_NONE)
		return walk->part->root != NULL;
	return !walk->part->regions || walk->part->regions[node->region];
}

/* Samples of this very node; a node comes before its children, which take theirs away. */
static void take_samples(struct graph_walk *walk, uint32_t index)
{
	const struct calltree_node *node = &walk->part->tree->nodes[index];

	walk->visits[index] += node->count;
	if (node->parent != CALLTREE_NONE)
		walk->visits[node->parent] -= node->count;
}

/* What is not shown belongs to the nearest caller that is; calls of it to nobody. */
static void give_away(struct graph_walk *walk, uint32_t index)
{
	uint32_t shown = walk->shown[index];
	double self_ns = walk->part->tree->nodes[index].self_ns;

	if (shown != CALLTREE_NONE && self_ns > 0)
		walk->self[shown] += tree_weight(self_ns, 1, &walk->graph->carry);
	if (shown == index)
		return;
	if (shown != CALLTREE_NONE && walk->part->is_sampled)
		walk->visits[shown] += walk->visits[index];
	walk->visits[index] = 0;
}

/* Whose the times and visits are.  Parents come before their children, so one pass finds who
 * shows them, and one pass backwards adds them to all callers. */
static void assign(struct graph_walk *walk, uint32_t thread)
{
	const struct calltree *tree = walk->part->tree;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		uint32_t above =
			node->parent == CALLTREE_NONE ? CALLTREE_NONE : walk->shown[node->parent];

		walk->shown[i] = CALLTREE_NONE;
		if (node->thread != thread)
			continue;
		walk->shown[i] = is_shown(walk, node) ? i : above;
		if (walk->part->is_sampled)
			take_samples(walk, i);
		else if (node->parent != CALLTREE_NONE)
			walk->visits[i] = node->count;
	}
	for (uint32_t i = 0; i < tree->node_count; i++) {
		if (tree->nodes[i].thread == thread)
			give_away(walk, i);
	}
	for (uint32_t i = tree->node_count; i-- > 0;) {
		uint32_t parent = tree->nodes[i].parent;

		walk->sum[i] += walk->self[i];
		walk->below[i] += walk->visits[i];
		if (parent == CALLTREE_NONE)
			continue;
		walk->sum[parent] += walk->sum[i];
		walk->below[parent] += walk->below[i];
	}
}

/* The function of a node; CALL_GRAPH_NONE = no memory. */
static uint32_t function_of(struct graph_walk *walk, uint32_t index)
{
	const struct calltree_node *node = &walk->part->tree->nodes[index];
	uint32_t *known = &walk->functions[node->region];

	if (node->parent == CALLTREE_NONE)
		return function_of_root(walk->graph, walk->part->root);
	if (*known == CALL_GRAPH_NONE)
		*known = function_of_region(walk->graph,
					    &walk->part->tree->recording->regions[node->region]);
	return *known;
}

static uint32_t line_of(const struct graph_walk *walk, uint32_t index)
{
	const struct calltree_node *node = &walk->part->tree->nodes[index];
	const struct region *region = &walk->part->tree->recording->regions[node->region];

	return node->parent == CALLTREE_NONE || !region->file ? 0 : region->line;
}

static uint64_t count_of(const struct graph_walk *walk, uint32_t index)
{
	return walk->part->is_sampled ? walk->below[index] : walk->visits[index];
}

static bool open_cost(struct graph_walk *walk, uint32_t index, uint32_t function)
{
	struct graph_cost *cost = cost_of(walk->graph, function, line_of(walk, index));

	if (!cost)
		return false;
	cost->visits += walk->visits[index];
	cost->self += walk->self[index];
	return true;
}

static bool open_call(struct graph_walk *walk, uint32_t index, uint32_t above, uint32_t callee,
		      bool is_outermost)
{
	uint32_t line = walk->graph->has_lines ? line_of(walk, above) : 0;
	uint32_t position = call_of(walk->graph, function_of(walk, above), line, callee);
	struct graph_call *call;

	if (position == CALL_GRAPH_NONE)
		return false;
	call = &walk->graph->calls[position];
	if (call->open == 0 || !walk->part->is_sampled)
		call->count += count_of(walk, index);
	if (call->open++ == 0)
		call->total += walk->sum[index];
	if (is_outermost) {
		call->outermost += walk->sum[index];
		call->outermost_visits += walk->below[index];
	}
	walk->calls[index] = position;
	return true;
}

static bool open_node(struct graph_walk *walk, uint32_t index)
{
	uint32_t parent = walk->part->tree->nodes[index].parent;
	uint32_t above = parent == CALLTREE_NONE ? CALLTREE_NONE : walk->shown[parent];
	uint32_t position = function_of(walk, index);
	struct graph_function *function;
	bool is_outermost;

	if (position == CALL_GRAPH_NONE)
		return false;
	function = &walk->graph->functions[position];
	is_outermost = function->open++ == 0;
	if (is_outermost || !walk->part->is_sampled)
		function->count += count_of(walk, index);
	if (is_outermost)
		function->total += walk->sum[index];
	function->self += walk->self[index];
	if (walk->graph->has_lines && !open_cost(walk, index, position))
		return false;
	return above == CALLTREE_NONE || open_call(walk, index, above, position, is_outermost);
}

static void close_node(struct graph_walk *walk, uint32_t index)
{
	const struct calltree_node *node = &walk->part->tree->nodes[index];

	if (walk->shown[index] != index)
		return;
	walk->graph->functions[function_of(walk, index)].open--;
	if (node->parent != CALLTREE_NONE && walk->shown[node->parent] != CALLTREE_NONE)
		walk->graph->calls[walk->calls[index]].open--;
}

/* The next node in order, after closing those whose last child node was. */
static uint32_t node_after(struct graph_walk *walk, uint32_t index)
{
	const struct calltree_node *nodes = walk->part->tree->nodes;

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

enum kymo_status call_graph_add(struct call_graph *graph, const struct call_graph_part *part,
				uint32_t thread)
{
	struct graph_walk walk = {
		.graph = graph, .part = part, .root = part->tree->thread_root[thread]};
	enum kymo_status status = KYMO_OK;

	if (walk.root == CALLTREE_NONE)
		return KYMO_OK;
	if (!walk_init(&walk)) {
		walk_release(&walk);
		return KYMO_MEMORY;
	}
	assign(&walk, thread);
	for (uint32_t i = walk.root; i != CALLTREE_NONE; i = node_after(&walk, i)) {
		if (walk.shown[i] == i && !open_node(&walk, i)) {
			status = KYMO_MEMORY;
			break;
		}
	}
	walk_release(&walk);
	return status;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static int compare(uint32_t left, uint32_t right)
{
	return left < right ? -1 : left > right;
}

static int compare_costs(const void *left, const void *right)
{
	const struct graph_cost *a = left, *b = right;
	int order = compare(a->function, b->function);

	return order ? order : compare(a->line, b->line);
}

static int compare_calls(const void *left, const void *right)
{
	const struct graph_call *a = left, *b = right;
	int order = compare(a->caller, b->caller);

	if (order == 0)
		order = compare(a->line, b->line);
	return order ? order : compare(a->callee, b->callee);
}

/* Positions change: nothing may be added before call_graph_clear(). */
void call_graph_sort(struct call_graph *graph)
{
	if (graph->cost_count)
		qsort(graph->costs, graph->cost_count, sizeof(*graph->costs), compare_costs);
	if (graph->call_count)
		qsort(graph->calls, graph->call_count, sizeof(*graph->calls), compare_calls);
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
		free(graph->functions[i].name);
	free(graph->functions);
	free(graph->costs);
	free(graph->calls);
	hashset_release(&graph->function_index);
	hashset_release(&graph->file_index);
	hashset_release(&graph->cost_index);
	hashset_release(&graph->call_index);
	*graph = (struct call_graph){0};
}
