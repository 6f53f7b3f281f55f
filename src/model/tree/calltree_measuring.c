/* Takes what measuring took out of the times of a call-path tree.
 *
 * Each visit made its own time longer by what lies between its two readings of the clock, and its
 * caller's by the rest.  What does not fit into a node's own time, since the parts were not just
 * the same there as where they were calibrated, is its caller's.  Nodes come parents first, so one
 * pass backwards sees every child before its parent. */
#include <math.h>
#include <stdlib.h>

#include "model/functions/measuring.h"
#include "model/tree/calltree_build.h"

#define LEAST_VISIT_NS 1.0 /* nothing that was called took less */

static struct measuring_cost cost_at(const struct measuring *measuring,
				     const struct calltree_node *node)
{
	double own_ns = node->count ? node->self_ns / (double)node->count : 0;

	return measuring_cost_of(measuring, node->region, own_ns);
}

/* What a node's own time has of measuring: filled by its children first. */
static double *own_parts(const struct calltree *tree, const struct measuring *measuring)
{
	double *parts = calloc((size_t)tree->node_count + 1, sizeof(*parts));

	for (uint32_t i = 0; parts && i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		struct measuring_cost cost = cost_at(measuring, node);

		if (node->parent == CALLTREE_NONE)
			continue;
		parts[i] += (double)node->count * cost.inside;
		parts[node->parent] += (double)node->count * cost.outside;
	}
	return parts;
}

/* Every visit becomes shorter by what each has of measuring itself, and then in the proportion in
 * which all became shorter, which the calls in it are taken to follow. */
static void shorten_visits(struct calltree_node *node, double sum, double inside)
{
	double count = (double)node->closed_count;
	double rest = node->sum_ns - (double)node->count * inside;
	double scale = rest > 0 ? sum / rest : 0;

	if (node->closed_count == 0)
		return;
	if (node->is_open || rest <= 0) { /* closed visits alone are not known so well */
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

static double shorten_own(struct calltree_node *node, double *part)
{
	double least = fmin((double)node->count * LEAST_VISIT_NS, node->self_ns);
	double taken = fmin(*part, node->self_ns - least);

	if (node->parent == CALLTREE_NONE)
		taken = fmin(*part, node->self_ns);
	*part -= taken;
	node->self_ns -= taken;
	return taken;
}

static void shorten(struct calltree *tree, const struct measuring *measuring, double *parts,
		    double *below)
{
	for (uint32_t i = tree->node_count; i-- > 0;) {
		struct calltree_node *node = &tree->nodes[i];
		double sum, inside = cost_at(measuring, node).inside;
		double taken = shorten_own(node, &parts[i]);

		tree->measuring_ns += taken;
		tree->thread_measuring_ns[node->thread] += taken;
		sum = node->self_ns + below[i];
		if (node->sum_ns != sum)
			shorten_visits(node, sum, inside);
		node->sum_ns = sum;
		if (node->parent == CALLTREE_NONE)
			continue;
		parts[node->parent] += parts[i];
		below[node->parent] += sum;
	}
}

/* What is known before anything is taken out: where the recording was merged, all of it. */
static bool begin_threads(struct calltree *tree)
{
	const struct recording *recording = tree->recording;

	tree->thread_measuring_ns = calloc((size_t)recording->thread_count + 1, sizeof(double));
	for (uint32_t i = 0; tree->thread_measuring_ns && i < recording->thread_count; i++) {
		tree->thread_measuring_ns[i] = (double)recording->threads[i].measuring_ns;
		tree->measuring_ns += tree->thread_measuring_ns[i];
	}
	return tree->thread_measuring_ns != NULL;
}

enum kymo_status calltree_take_measuring_out(struct calltree *tree)
{
	struct measuring measuring = measuring_of(tree->recording);
	double *parts, *below;
	enum kymo_status status = KYMO_MEMORY;

	if (!begin_threads(tree))
		return KYMO_MEMORY;
	if (tree->recording->is_raw || !measuring_is_known(&measuring))
		return KYMO_OK;
	parts = own_parts(tree, &measuring);
	below = calloc((size_t)tree->node_count + 1, sizeof(*below));
	if (parts && below) {
		shorten(tree, &measuring, parts, below);
		status = KYMO_OK;
	}
	free(parts);
	free(below);
	return status;
}
