/* Cycles of calls: the strongly connected components of the call graph, by Tarjan's algorithm
 * (Depth-first search and linear graph algorithms, 1972) with an explicit stack. */
#include "model/functions/counted_cycles.h"

#include <math.h>
#include <stdlib.h>

#define NONE UINT32_MAX

struct search {
	const struct counted_calls *calls;
	size_t *first_edge; /* by caller, plus one: its edges in callees */
	uint32_t *callees;  /* by caller */
	uint32_t *order;    /* by function: visiting order, or NONE */
	uint32_t *low;	    /* the earliest one reachable */
	uint32_t *cycle;    /* NONE: not known yet */
	uint32_t *open;	    /* visited, cycle not known yet */
	uint32_t *path;	    /* from the first to the current one */
	size_t *next;	    /* by function: the next edge to follow */
	uint32_t open_count, path_count, met, cycles;
};

static bool sort_edges(struct search *search)
{
	const struct counted_calls *calls = search->calls;
	size_t *fill = calloc((size_t)calls->function_count + 2, sizeof(*fill));

	if (!fill)
		return false;
	for (size_t i = 0; i < calls->edge_count; i++)
		if (calls->edges[i].caller != COUNTED_OUTSIDE)
			search->first_edge[calls->edges[i].caller + 1]++;
	for (uint32_t i = 0; i < calls->function_count; i++) {
		search->first_edge[i + 1] += search->first_edge[i];
		fill[i] = search->first_edge[i];
	}
	for (size_t i = 0; i < calls->edge_count; i++)
		if (calls->edges[i].caller != COUNTED_OUTSIDE)
			search->callees[fill[calls->edges[i].caller]++] = calls->edges[i].callee;
	free(fill);
	return true;
}

static void cycles_visit(struct search *search, uint32_t function)
{
	search->order[function] = search->low[function] = search->met++;
	search->next[function] = search->first_edge[function];
	search->open[search->open_count++] = function;
	search->path[search->path_count++] = function;
}

static void close_circle(struct search *search, uint32_t function)
{
	uint32_t member;

	do {
		member = search->open[--search->open_count];
		search->cycle[member] = search->cycles;
	} while (member != function);
	search->cycles++;
}

static void cycles_leave(struct search *search)
{
	uint32_t function = search->path[--search->path_count], caller;

	if (search->low[function] == search->order[function])
		close_circle(search, function);
	if (search->path_count == 0)
		return;
	caller = search->path[search->path_count - 1];
	if (search->low[function] < search->low[caller])
		search->low[caller] = search->low[function];
}

static void cycles_walk(struct search *search, uint32_t first)
{
	cycles_visit(search, first);
	while (search->path_count > 0) {
		uint32_t function = search->path[search->path_count - 1], callee;

		if (search->next[function] == search->first_edge[function + 1]) {
			cycles_leave(search);
			continue;
		}
		callee = search->callees[search->next[function]++];
		if (search->order[callee] == NONE)
			cycles_visit(search, callee);
		else if (search->cycle[callee] == NONE &&
			 search->order[callee] < search->low[function])
			search->low[function] = search->order[callee];
	}
}

static uint32_t *numbers(uint32_t count)
{
	uint32_t *made = malloc(((size_t)count + 1) * sizeof(*made));

	for (uint32_t i = 0; made && i < count; i++)
		made[i] = NONE;
	return made;
}

uint32_t *counted_cycles(const struct counted_calls *calls)
{
	uint32_t count = calls->function_count;
	struct search search = {
		.calls = calls,
		.first_edge = calloc((size_t)count + 2, sizeof(size_t)),
		.callees = malloc((calls->edge_count + 1) * sizeof(uint32_t)),
		.order = numbers(count),
		.low = numbers(count),
		.cycle = numbers(count),
		.open = numbers(count),
		.path = numbers(count),
		.next = calloc((size_t)count + 1, sizeof(size_t)),
	};
	bool is_complete = search.first_edge && search.callees && search.order && search.low &&
			   search.cycle && search.open && search.path && search.next &&
			   sort_edges(&search);

	for (uint32_t i = 0; is_complete && i < count; i++)
		if (search.order[i] == NONE)
			cycles_walk(&search, i);
	free(search.first_edge);
	free(search.callees);
	free(search.order);
	free(search.low);
	free(search.open);
	free(search.path);
	free(search.next);
	if (!is_complete) {
		free(search.cycle);
		return NULL;
	}
	return search.cycle;
}

struct entry { /* into a cycle: of calls from outside of it */
	double high;
	uint32_t members;
};

static double low_of(const struct counted_estimate *estimate)
{
	return fmax(estimate->value - estimate->below, 0);
}

static void cycles_between(struct counted_estimate *estimate, double low, double high)
{
	high = fmax(high, low);
	estimate->value = fmin(fmax(estimate->value, low), high);
	estimate->below = estimate->value - low;
	estimate->above = high - estimate->value;
	estimate->off_below = fmin(estimate->off_below, estimate->below);
	estimate->off_above = fmin(estimate->off_above, estimate->above);
}

/* Callers outside of a cycle are in none of its functions: each such call contains everything that
 * the cycle does, and is an outermost call of its callee.  So no function of the cycle takes longer
 * than all such calls, and none less than those to itself, nor than its own time. */
static void estimate_cycles(struct counted_calls *calls, const uint32_t *cycles,
			    struct entry *entries, double *direct)
{
	for (uint32_t i = 0; i < calls->function_count; i++)
		entries[cycles[i]].members++;
	for (size_t i = 0; i < calls->edge_count; i++) {
		struct counted_edge *edge = &calls->edges[i];
		struct entry *entry = &entries[cycles[edge->callee]];

		if (edge->caller != COUNTED_OUTSIDE && cycles[edge->caller] == cycles[edge->callee])
			continue;
		counted_estimate_limit(&edge->total, calls->most);
		entry->high += edge->total.value + edge->total.above;
		direct[edge->callee] += low_of(&edge->total);
	}
	for (uint32_t i = 0; i < calls->function_count; i++) {
		struct counted_function *function = &calls->functions[i];
		const struct entry *entry = &entries[cycles[i]];
		double high = entry->high;

		if (entry->members < 2)
			continue;
		if (calls->most > 0)
			high = fmin(high, calls->most);
		cycles_between(&function->total, fmax(direct[i], low_of(&function->self)), high);
	}
}

enum kymo_status counted_cycles_estimate(struct counted_calls *calls)
{
	uint32_t *cycles = counted_cycles(calls);
	struct entry *entries = calloc((size_t)calls->function_count + 1, sizeof(*entries));
	double *direct = calloc((size_t)calls->function_count + 1, sizeof(*direct));
	bool is_complete = cycles && entries && direct;

	if (is_complete)
		estimate_cycles(calls, cycles, entries, direct);
	free(cycles);
	free(entries);
	free(direct);
	return is_complete ? KYMO_OK : KYMO_MEMORY;
}
