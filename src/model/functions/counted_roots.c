/* Nests root calls: the function with the longest root calls is assumed to be the main program, and
 * gets the others as callees as long as it has own time; else another function that they do not
 * call themselves. */
#include "model/functions/counted_roots.h"

#include <math.h>
#include <stdlib.h>

#define ROOTS_MAX 64u /* with a search for their callees; smaller ones go to the largest */

struct roots {
	struct counted_calls *calls;
	double *own;	  /* by function: its own time, as recorded */
	double *below;	  /* by function: time in callees */
	bool *is_reached; /* by function */
	size_t *edges;	  /* those called from outside, the longest first */
	size_t count;
};

/* The known time of its calls: those that did not end took as long as their callees. */
static double roots_time_of(const struct roots *roots, const struct counted_edge *edge)
{
	const struct counted_function *callee = &roots->calls->functions[edge->callee];
	bool has_ended = callee->timed > 0 && callee->timed <= callee->sums.ended;

	return has_ended ? edge->sums.weighted_ticks
			 : fmax(edge->sums.weighted_ticks, roots->below[edge->callee]);
}

static int compare_times(const void *left, const void *right, void *context)
{
	const struct roots *roots = context;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;
	double first = roots_time_of(roots, &roots->calls->edges[a]);
	double second = roots_time_of(roots, &roots->calls->edges[b]);

	if (first != second)
		return first < second ? 1 : -1;
	return a < b ? -1 : a > b;
}

static void roots_sum_up(struct roots *roots)
{
	struct counted_calls *calls = roots->calls;

	for (size_t i = 0; i < calls->edge_count; i++) {
		const struct counted_edge *edge = &calls->edges[i];

		if (edge->caller == COUNTED_OUTSIDE)
			roots->edges[roots->count++] = i;
		else if (edge->caller != edge->callee)
			roots->below[edge->caller] += edge->sums.weighted_ticks;
	}
	for (uint32_t i = 0; i < calls->function_count; i++)
		roots->own[i] = calls->functions[i].sums.weighted_ticks - roots->below[i];
	qsort_r(roots->edges, roots->count, sizeof(*roots->edges), compare_times, roots);
}

/* Mark function and what it calls, directly or through others. */
static void reach(struct roots *roots, uint32_t function)
{
	const struct counted_calls *calls = roots->calls;
	bool is_new = true;

	for (uint32_t i = 0; i < calls->function_count; i++)
		roots->is_reached[i] = i == function;
	while (is_new) { /* in the order of callees there are few levels */
		is_new = false;
		for (size_t i = 0; i < calls->edge_count; i++) {
			const struct counted_edge *edge = &calls->edges[i];

			if (edge->caller == COUNTED_OUTSIDE || !roots->is_reached[edge->caller] ||
			    roots->is_reached[edge->callee])
				continue;
			roots->is_reached[edge->callee] = is_new = true;
		}
	}
}

/* The function with the most own time that edge's callee does not call. */
static uint32_t host_of(struct roots *roots, const struct counted_edge *edge)
{
	uint32_t host = COUNTED_OUTSIDE;

	reach(roots, edge->callee);
	for (uint32_t i = 0; i < roots->calls->function_count; i++)
		if (!roots->is_reached[i] &&
		    (host == COUNTED_OUTSIDE || roots->own[i] > roots->own[host]))
			host = i;
	return host;
}

static void roots_nest(struct roots *roots)
{
	struct counted_calls *calls = roots->calls;
	const struct counted_edge *first = &calls->edges[roots->edges[0]];
	uint32_t main = first->callee;
	double all = 0;

	for (size_t i = 0; i < roots->count; i++)
		all += roots_time_of(roots, &calls->edges[roots->edges[i]]);
	if (all <= calls->most)
		return;
	if (calls->functions[main].timed > calls->functions[main].sums.ended)
		roots->own[main] = calls->most - roots->below[main];
	for (size_t i = 1; i < roots->count; i++) {
		struct counted_edge *edge = &calls->edges[roots->edges[i]];
		double time = roots_time_of(roots, edge);
		uint32_t host = main;

		if (edge->callee == main)
			continue;
		if (roots->own[main] < time && i <= ROOTS_MAX)
			host = host_of(roots, edge);
		if (host == COUNTED_OUTSIDE)
			continue;
		roots->own[host] -= time;
		edge->caller = host;
	}
}

enum kymo_status counted_roots_nest(struct counted_calls *calls)
{
	size_t functions = (size_t)calls->function_count + 1;
	struct roots roots = {
		.calls = calls,
		.own = calloc(functions, sizeof(double)),
		.below = calloc(functions, sizeof(double)),
		.is_reached = calloc(functions, sizeof(bool)),
		.edges = calloc(calls->edge_count + 1, sizeof(size_t)),
	};
	bool is_complete = roots.own && roots.below && roots.is_reached && roots.edges;

	if (is_complete)
		roots_sum_up(&roots);
	if (is_complete && roots.count > 1 && calls->most > 0)
		roots_nest(&roots);
	free(roots.own);
	free(roots.below);
	free(roots.is_reached);
	free(roots.edges);
	return is_complete ? KYMO_OK : KYMO_MEMORY;
}
