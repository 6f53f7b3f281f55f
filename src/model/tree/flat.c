/* One row per region and one edge per pair of regions, from the call-path tree. A walk through the
 * tree counts for each region, and each pair, how often it is open: a visit is outermost if the
 * count was 0, and only the inclusive time of outermost visits is added.  cProfile counts the same
 * way, which its exports rely on. */
#include "model/tree/flat.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hashset.h"
#include "model/tree/flat_stored.h"
#include "model/tree/flat_types.h"

struct builder {
	const struct calltree *tree;
	struct flat_row *rows;	/* by region while the tree is walked */
	uint32_t *open_regions; /* by region: how often it is open */
	uint32_t *path_edges;	/* by depth: the edge of the open node */
	uint32_t *open_edges;	/* by edge: how often it is open */
	size_t open_edge_capacity;
	struct flat_edge *edges;
	size_t edge_count, edge_capacity;
	struct hashset edge_index; /* caller and callee -> edge + 1 */
};

/* off: the systematic part of the error. */
static void error_add(double *error, double *off, double more, double more_off)
{
	double rest = hypot(fmax(*error - *off, 0), fmax(more - more_off, 0));

	*off += more_off;
	*error = rest + *off;
}

void calltree_estimate_add(struct calltree_estimate *sum, const struct calltree_estimate *more)
{
	sum->is_known |= more->is_known;
	sum->has_unsure_calls |= more->has_unsure_calls;
	sum->total_ns += more->total_ns;
	sum->self_ns += more->self_ns;
	sum->calls += more->calls;
	sum->calls_below = hypot(sum->calls_below, more->calls_below);
	sum->calls_above = hypot(sum->calls_above, more->calls_above);
	error_add(&sum->total_below_ns, &sum->total_off_below_ns, more->total_below_ns,
		  more->total_off_below_ns);
	error_add(&sum->total_above_ns, &sum->total_off_above_ns, more->total_above_ns,
		  more->total_off_above_ns);
	error_add(&sum->self_below_ns, &sum->self_off_below_ns, more->self_below_ns,
		  more->self_off_below_ns);
	error_add(&sum->self_above_ns, &sum->self_off_above_ns, more->self_above_ns,
		  more->self_off_above_ns);
}

void calltree_estimate_divide(struct calltree_estimate *sum, double count)
{
	double *const values[] = {
		&sum->total_ns,
		&sum->self_ns,
		&sum->total_below_ns,
		&sum->total_above_ns,
		&sum->self_below_ns,
		&sum->self_above_ns,
		&sum->total_off_below_ns,
		&sum->total_off_above_ns,
		&sum->self_off_below_ns,
		&sum->self_off_above_ns,
		&sum->calls,
		&sum->calls_below,
		&sum->calls_above,
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		*values[i] /= count;
}

static uint32_t flat_edge_add(struct builder *builder, uint32_t caller, uint32_t callee)
{
	size_t count = builder->edge_count;
	struct flat_edge *edges =
		array_grow(builder->edges, &builder->edge_capacity, count + 1, sizeof(*edges));
	uint32_t *open_edges;

	if (!edges)
		return CALLTREE_NONE;
	builder->edges = edges;
	open_edges = array_grow(builder->open_edges, &builder->open_edge_capacity, count + 1,
				sizeof(*open_edges));
	if (!open_edges)
		return CALLTREE_NONE;
	builder->open_edges = open_edges;
	if (!hashset_insert(&builder->edge_index, hash_pair(caller, callee), count + 1))
		return CALLTREE_NONE;
	edges[count] = (struct flat_edge){.caller = caller, .callee = callee};
	open_edges[count] = 0;
	return (uint32_t)builder->edge_count++;
}

static uint32_t edge_of(struct builder *builder, uint32_t caller, uint32_t callee)
{
	uint64_t found = hashset_find_key(&builder->edge_index, hash_pair(caller, callee));

	return found ? (uint32_t)found - 1 : flat_edge_add(builder, caller, callee);
}

static void edge_count(struct flat_edge *edge, const struct calltree_node *node, bool is_outermost)
{
	edge->count += node->count;
	edge->self_ns += node->self_ns;
	if (!is_outermost)
		return;
	edge->primitive_count += node->count;
	edge->total_ns += node->sum_ns;
}

static void row_count(struct flat_row *row, const struct calltree_node *node, bool is_outermost)
{
	row->count += node->count;
	row->self_ns += node->self_ns;
	row->visits_ns += node->sum_ns;
	row->is_open |= node->is_open;
	row->is_primitive_estimated |= !is_outermost && node->is_count_estimated;
	if (is_outermost) {
		row->primitive_count += node->count;
		row->total_ns += node->sum_ns;
	}
	if (!node->closed_count)
		return;
	if (!row->closed_count || node->min_ns < row->min_ns)
		row->min_ns = node->min_ns;
	if (node->max_ns > row->max_ns)
		row->max_ns = node->max_ns;
	row->closed_count += node->closed_count;
	row->sum_squares_ns += node->sum_squares_ns;
}

static bool node_open(struct builder *builder, const struct calltree_node *node)
{
	uint32_t caller = builder->tree->nodes[node->parent].region;
	uint32_t edge = edge_of(builder, caller, node->region);

	if (edge == CALLTREE_NONE)
		return false;
	builder->path_edges[node->depth] = edge;
	edge_count(&builder->edges[edge], node, builder->open_edges[edge]++ == 0);
	row_count(&builder->rows[node->region], node, builder->open_regions[node->region]++ == 0);
	return true;
}

static void flat_node_close(struct builder *builder, const struct calltree_node *node)
{
	builder->open_edges[builder->path_edges[node->depth]]--;
	builder->open_regions[node->region]--;
}

/* The next node in preorder, after leaving those whose last child was visited; NONE when the whole
 * tree below root was walked. */
static uint32_t flat_node_after(struct builder *builder, uint32_t index, uint32_t root)
{
	const struct calltree_node *nodes = builder->tree->nodes;

	if (nodes[index].first_child != CALLTREE_NONE)
		return nodes[index].first_child;
	while (index != root) {
		flat_node_close(builder, &nodes[index]);
		if (nodes[index].next_sibling != CALLTREE_NONE)
			return nodes[index].next_sibling;
		index = nodes[index].parent;
	}
	return CALLTREE_NONE;
}

static bool flat_walk_thread(struct builder *builder, uint32_t root)
{
	uint32_t index = flat_node_after(builder, root, root);

	for (; index != CALLTREE_NONE; index = flat_node_after(builder, index, root)) {
		if (!node_open(builder, &builder->tree->nodes[index]))
			return false;
	}
	return true;
}

static bool walk_all(struct builder *builder, const bool *threads)
{
	const struct calltree *tree = builder->tree;

	for (uint32_t i = 0; i < tree->recording->thread_count; i++) {
		if (tree->thread_root[i] == CALLTREE_NONE || (threads && !threads[i]))
			continue;
		if (!flat_walk_thread(builder, tree->thread_root[i]))
			return false;
	}
	return true;
}

static bool builder_init(struct builder *builder, const struct calltree *tree)
{
	size_t regions = tree->recording->region_count;
	uint32_t deepest = 0;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		if (tree->nodes[i].depth > deepest)
			deepest = tree->nodes[i].depth;
	}
	builder->tree = tree;
	builder->rows = calloc(regions, sizeof(*builder->rows));
	builder->open_regions = calloc(regions, sizeof(*builder->open_regions));
	builder->path_edges = calloc((size_t)deepest + 1, sizeof(*builder->path_edges));
	return builder->rows && builder->open_regions && builder->path_edges;
}

static void builder_release(struct builder *builder)
{
	free(builder->rows);
	free(builder->open_regions);
	free(builder->path_edges);
	free(builder->open_edges);
	free(builder->edges);
	hashset_release(&builder->edge_index);
}

static int edge_compare(const void *left, const void *right)
{
	const struct flat_edge *a = left, *b = right;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* Express the same interval relative to the row's or edge's own value, which is inside of it;
 * is_centered: it already is. */
static void estimate_recenter(struct calltree_estimate *estimate, double total_ns, double self_ns,
			      bool is_centered)
{
	double total = total_ns - estimate->total_ns, self = self_ns - estimate->self_ns;

	if (!estimate->is_known)
		return;
	estimate->total_ns = total_ns;
	estimate->self_ns = self_ns;
	if (is_centered)
		return;
	estimate->total_below_ns = fmax(estimate->total_below_ns + total, 0);
	estimate->total_above_ns = fmax(estimate->total_above_ns - total, 0);
	estimate->self_below_ns = fmax(estimate->self_below_ns + self, 0);
	estimate->self_above_ns = fmax(estimate->self_above_ns - self, 0);
	estimate->total_off_below_ns = fmin(estimate->total_off_below_ns, estimate->total_below_ns);
	estimate->total_off_above_ns = fmin(estimate->total_off_above_ns, estimate->total_above_ns);
	estimate->self_off_below_ns = fmin(estimate->self_off_below_ns, estimate->self_below_ns);
	estimate->self_off_above_ns = fmin(estimate->self_off_above_ns, estimate->self_above_ns);
}

/* Edges for which only calls are known keep those. */
static void edge_set_estimate(struct flat_edge *edge, bool is_centered)
{
	struct calltree_estimate *estimate = &edge->estimate;
	double count = (double)edge->count;

	if (is_centered)
		estimate->calls = count;
	if (edge->primitive_count < edge->count)
		*estimate =
			(struct calltree_estimate){.has_unsure_calls = estimate->has_unsure_calls,
						   .calls = estimate->calls,
						   .calls_below = estimate->calls_below,
						   .calls_above = estimate->calls_above};
	estimate_recenter(estimate, edge->total_ns, edge->self_ns, is_centered);
	if (estimate->calls_below <= 0 && estimate->calls_above <= 0)
		return;
	edge->is_count_estimated = true;
	edge->count_low = (uint64_t)fmax(fmin(estimate->calls - estimate->calls_below, count), 0);
	edge->count_high = (uint64_t)fmax(estimate->calls + estimate->calls_above, count);
	estimate->calls = count;
	estimate->calls_below = count - (double)edge->count_low;
	estimate->calls_above = (double)edge->count_high - count;
}

static void estimates_add(struct builder *builder, const bool *threads)
{
	const struct calltree *tree = builder->tree;

	for (size_t i = 0; i < tree->estimated_count; i++) {
		const struct calltree_estimated *from = &tree->estimated[i];
		uint64_t edge;

		if (threads && !threads[from->thread])
			continue;
		if (from->caller == CALLTREE_NONE) {
			calltree_estimate_add(&builder->rows[from->region].estimate,
					      &from->estimate);
			continue;
		}
		edge = hashset_find_key(&builder->edge_index,
					hash_pair(from->caller, from->region));
		if (edge)
			calltree_estimate_add(&builder->edges[edge - 1].estimate, &from->estimate);
	}
	for (uint32_t i = 0; i < tree->recording->region_count; i++)
		estimate_recenter(&builder->rows[i].estimate, builder->rows[i].total_ns,
				  builder->rows[i].self_ns, tree->has_stored_estimates);
	for (size_t i = 0; i < builder->edge_count; i++)
		edge_set_estimate(&builder->edges[i], tree->has_stored_estimates);
}

/* Damaged counts may have any value. */
static uint64_t bounded_sum(uint64_t left, uint64_t right)
{
	uint64_t sum;

	return __builtin_add_overflow(left, right, &sum) ? UINT64_MAX : sum;
}

static void row_add_total(struct flat_row *row, const struct kymo_total *total, bool is_first)
{
	if (is_first)
		*row = (struct flat_row){.is_open = row->is_open};
	row->count = bounded_sum(row->count, total->count);
	row->primitive_count = bounded_sum(row->primitive_count, total->primitive_count);
	row->self_ns += (double)total->self_ns;
	row->total_ns += (double)total->total_ns;
	row->visits_ns = row->total_ns;
}

static void edge_add_total(struct flat_edge *edge, const struct kymo_total *total, bool is_first)
{
	if (is_first)
		*edge = (struct flat_edge){.caller = edge->caller, .callee = edge->callee};
	edge->count = bounded_sum(edge->count, total->count);
	edge->primitive_count = bounded_sum(edge->primitive_count, total->primitive_count);
	edge->self_ns += (double)total->self_ns;
	edge->total_ns += (double)total->total_ns;
}

/* Sums stored in the recording, as reported by its source, replace those of the call paths that
 * were made for them. */
static bool totals_take(struct builder *builder, const bool *threads)
{
	const struct recording *recording = builder->tree->recording;
	struct chunk_position position = {0};
	struct kymo_total total;
	struct hashset seen = {0}; /* pairs processed so far */
	bool is_complete = true;

	while (is_complete && flat_stored_next(recording, threads, &position, &total)) {
		uint64_t pair = hash_pair(total.caller, total.region);
		bool is_first = !hashset_find_key(&seen, pair);

		if (is_first)
			is_complete = hashset_insert(&seen, pair, 1);
		if (total.caller == KYMO_TOTAL_OF_REGION) {
			row_add_total(&builder->rows[total.region], &total, is_first);
		} else {
			uint32_t edge = edge_of(builder, total.caller, total.region);

			is_complete &= edge != CALLTREE_NONE;
			if (is_complete)
				edge_add_total(&builder->edges[edge], &total, is_first);
		}
	}
	hashset_release(&seen);
	return is_complete;
}

/* Move the tables over, the rows without the regions that were never open. */
static void flat_take(struct flat *flat, struct builder *builder)
{
	for (uint32_t i = 0; i < builder->tree->recording->region_count; i++) {
		struct flat_row *row = &builder->rows[i];

		if (row->count == 0 && !row->is_open && row->total_ns <= 0)
			continue;
		row->region = i;
		builder->rows[flat->row_count++] = *row;
	}
	flat->rows = builder->rows;
	builder->rows = NULL;
	if (builder->edge_count)
		qsort(builder->edges, builder->edge_count, sizeof(*builder->edges), edge_compare);
	flat->edges = builder->edges;
	flat->edge_count = (uint32_t)builder->edge_count;
	builder->edges = NULL;
}

enum kymo_status flat_new(const struct calltree *tree, const bool *threads, struct flat **out)
{
	struct builder builder = {0};
	struct flat *flat = calloc(1, sizeof(*flat));
	enum kymo_status status = KYMO_MEMORY;

	if (flat && builder_init(&builder, tree) && walk_all(&builder, threads) &&
	    totals_take(&builder, threads)) {
		estimates_add(&builder, threads);
		flat_take(flat, &builder);
		*out = flat;
		status = KYMO_OK;
	} else {
		free(flat);
	}
	builder_release(&builder);
	return status;
}

void flat_free(struct flat *flat)
{
	if (!flat)
		return;
	free(flat->rows);
	free(flat->edges);
	free(flat);
}
