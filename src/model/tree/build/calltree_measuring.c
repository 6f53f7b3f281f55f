/* Excludes the overhead of measuring from the times of a call-path tree.
 *
 * Each visit's own time includes the cost between its two readings of the clock, its caller's the
 * rest.  If the cost exceeds a node's own time, since it differs from where it was calibrated, the
 * difference is taken from the caller.  Nodes come parents first, so one pass backwards sees every
 * child before its parent. */
#include "model/tree/build/calltree_measuring.h"

#include <math.h>
#include <stdlib.h>

#include "model/functions/measuring.h"
#include "model/tree/build/calltree_build.h"

#define LEAST_VISIT_NS 1.0 /* no call takes less */

struct node_overhead {
	double own;    /* overhead in the node's own time */
	double inside; /* of that, per visit */
	double calls;  /* calls of functions that it made */
};

/* Counted calls were not recorded. */
static bool measuring_is_recorded(const struct calltree_node *node)
{
	return node->sum_ns > 0 || node->closed_count > 0 || node->is_open;
}

static bool measuring_is_function(const struct measuring *measuring,
				  const struct calltree_node *node)
{
	return node->parent != CALLTREE_NONE && measuring_is_recorded(node) &&
	       measuring_has_function(measuring, node->region);
}

/* The part of their time for which the threads had a processor, estimated from the process's CPU
 * time: on a busy machine the time between two records is not all work. */
static double running_share(const struct calltree *tree)
{
	double whole_ns = 0, cpu_ns = (double)tree->recording->header.process_cpu_ns;

	for (uint32_t i = 0; i < tree->node_count; i++)
		if (tree->nodes[i].parent == CALLTREE_NONE)
			whole_ns += tree->nodes[i].sum_ns;
	return cpu_ns > 0 && cpu_ns < whole_ns ? cpu_ns / whole_ns : 1;
}

/* The cost of function calls depends on the work between their records. */
static void measuring_add_functions(struct calltree *tree, const struct measuring *measuring,
				    struct node_overhead *overheads)
{
	double running = running_share(tree);

	for (uint32_t i = 0; i < tree->node_count; i++)
		if (measuring_is_function(measuring, &tree->nodes[i]))
			overheads[tree->nodes[i].parent].calls += (double)tree->nodes[i].count;
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		double visits = measuring_is_function(measuring, node) ? (double)node->count : 0;
		double own_ns = node->self_ns - overheads[i].own;
		struct measuring_cost cost;

		if (visits + overheads[i].calls <= 0)
			continue;
		cost = measuring_between(measuring, own_ns * running, visits, overheads[i].calls);
		tree->functions_cost_ns += visits * cost.inside + overheads[i].calls * cost.outside;
		cost = measuring_between(measuring, own_ns, visits, overheads[i].calls);
		if (visits > 0)
			overheads[i].inside = cost.inside;
		overheads[i].own += visits * cost.inside + overheads[i].calls * cost.outside;
	}
}

static struct node_overhead *own_overhead(struct calltree *tree, const struct measuring *measuring)
{
	struct node_overhead *overheads = calloc((size_t)tree->node_count + 1, sizeof(*overheads));

	for (uint32_t i = 0; overheads && i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		struct measuring_cost cost = measuring_cost_of(measuring, node->region);

		if (node->parent == CALLTREE_NONE)
			continue;
		overheads[i].inside = cost.inside;
		overheads[i].own += (double)node->count * cost.inside;
		overheads[node->parent].own += (double)node->count * cost.outside;
	}
	if (overheads)
		measuring_add_functions(tree, measuring, overheads);
	return overheads;
}

/* Every visit is shortened by its own overhead, and then in the same proportion as the sum; the
 * overhead of nested calls is assumed to follow that proportion. */
static void shorten_visits(struct calltree_node *node, double sum, double inside)
{
	double count = (double)node->closed_count;
	double rest = node->sum_ns - (double)node->count * inside;
	double scale = rest > 0 ? sum / rest : 0;

	if (node->closed_count == 0)
		return;
	if (node->is_open || rest <= 0) { /* the sum of closed visits alone is less exact */
		inside = 0;
		scale = node->sum_ns > 0 ? sum / node->sum_ns : 1;
	}
	node->sum_squares_ns =
		fmax(node->sum_squares_ns - 2 * inside * node->sum_ns + count * inside * inside,
		     0) *
		scale * scale;
	node->min_ns = fmax(node->min_ns - inside, 0) * scale;
	node->max_ns = fmax(node->max_ns - inside, 0) * scale;
}

static double shorten_own(struct calltree_node *node, double *overhead)
{
	double least = fmin((double)node->count * LEAST_VISIT_NS, node->self_ns);
	double taken = fmin(*overhead, node->self_ns - least);

	if (node->parent == CALLTREE_NONE)
		taken = fmin(*overhead, node->self_ns);
	*overhead -= taken;
	node->self_ns -= taken;
	return taken;
}

static void measuring_shorten(struct calltree *tree, struct node_overhead *overheads, double *below)
{
	for (uint32_t i = tree->node_count; i-- > 0;) {
		struct calltree_node *node = &tree->nodes[i];
		double taken = shorten_own(node, &overheads[i].own), sum;

		tree->measuring_ns += taken;
		tree->thread_measuring_ns[node->thread] += taken;
		sum = node->self_ns + below[i];
		if (node->sum_ns != sum)
			shorten_visits(node, sum, overheads[i].inside);
		node->sum_ns = sum;
		if (node->parent == CALLTREE_NONE)
			continue;
		overheads[node->parent].own += overheads[i].own;
		below[node->parent] += sum;
	}
}

/* Overhead already excluded before: if the recording was merged, all of it. */
static void begin_threads(struct calltree *tree)
{
	const struct recording *recording = tree->recording;

	for (uint32_t i = 0; i < recording->thread_count; i++) {
		tree->thread_measuring_ns[i] += (double)recording->threads[i].measuring_ns;
		tree->measuring_ns += (double)recording->threads[i].measuring_ns;
	}
}

enum kymo_status calltree_take_measuring_out(struct calltree *tree)
{
	struct measuring measuring = measuring_of(tree->recording);
	struct node_overhead *overheads;
	double *below;
	enum kymo_status status = KYMO_MEMORY;

	begin_threads(tree);
	if (tree->recording->is_raw || !measuring_is_known(&measuring))
		return KYMO_OK;
	overheads = own_overhead(tree, &measuring);
	below = calloc((size_t)tree->node_count + 1, sizeof(*below));
	if (overheads && below) {
		measuring_shorten(tree, overheads, below);
		status = KYMO_OK;
	}
	free(overheads);
	free(below);
	return status;
}
