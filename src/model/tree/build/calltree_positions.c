/* Times of positions, and how far off they may be.
 *
 * What a thread was seen at adds up to the thread's time.  Of a process that was killed, what
 * passed since the last sample counts where that was. */
#include "model/tree/build/calltree_positions.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/functions/functions.h"
#include "model/recording/recording_open.h"
#include "model/samples/sampled_kinds.h"
#include "model/tree/build/calltree_build.h"
#include "model/tree/build/calltree_counts.h"
#include "model/tree/flat.h"
#include "model/tree/flat_types.h"

enum kymo_status calltree_positions_begin(struct calltree *tree)
{
	uint32_t count = tree->recording->thread_count;

	if (!(tree->recording->header.flags & KYMO_HEADER_POSITIONS))
		return KYMO_OK;
	tree->positions = calloc(count + (size_t)1, sizeof(*tree->positions));
	for (uint32_t i = 0; tree->positions && i < count; i++)
		tree->positions[i].last = CALLTREE_NONE;
	return tree->positions ? KYMO_OK : KYMO_MEMORY;
}

/* Nodes of one path that were seen at the same time began with the recording of a forked child: the
 * last is the innermost. */
void calltree_positions_take(struct calltree *tree, uint32_t index, const struct kymo_node *node)
{
	struct calltree_node *out = &tree->nodes[index];
	struct calltree_positions *positions = &tree->positions[out->thread];

	out->sum_ns = (double)node->sum * recording_tick_ns(tree->recording);
	positions->count += node->max;
	positions->ticks += node->sum;
	if (node->sum_squares > 0 && node->sum_squares < 1e60)
		positions->squares += node->sum_squares;
	if (node->enter == 0 || node->enter < positions->last_ticks)
		return;
	positions->last_ticks = node->enter;
	positions->last = index;
}

/* While recording is off a thread is in no region. */
static void positions_add_rest(struct calltree *tree, uint32_t thread)
{
	const struct recording *recording = tree->recording;
	const struct thread *from = &recording->threads[thread];
	const struct calltree_positions *positions = &tree->positions[thread];
	uint64_t end = from->end_ticks ? from->end_ticks : recording->end_ticks;
	bool is_off = recording->header.gate & KYMO_GATE_OFF;
	uint32_t last = is_off || positions->last == CALLTREE_NONE ? tree->thread_root[thread]
								   : positions->last;

	if (last == CALLTREE_NONE)
		return;
	if (end > from->start_ticks && end - from->start_ticks > positions->ticks)
		tree->nodes[last].sum_ns += (double)(end - from->start_ticks - positions->ticks) *
					    recording_tick_ns(recording);
	for (; from->end_ticks == 0 && last != CALLTREE_NONE; last = tree->nodes[last].parent)
		tree->nodes[last].is_open = true;
}

/* Folded nodes keep their own time, as in all recordings. */
static bool make_inclusive(struct calltree *tree)
{
	double *below = calloc(tree->node_count + (size_t)1, sizeof(*below));

	for (uint32_t i = tree->node_count; below && i-- > 0;) {
		struct calltree_node *node = &tree->nodes[i];

		below[i] += node->sum_ns;
		if (!node->is_folded)
			node->sum_ns = below[i];
		if (node->parent != CALLTREE_NONE)
			below[node->parent] += below[i];
	}
	free(below);
	return below != NULL;
}

enum kymo_status calltree_positions_end(struct calltree *tree)
{
	if (!tree->positions)
		return KYMO_OK;
	for (uint32_t i = 0; i < tree->recording->thread_count; i++)
		positions_add_rest(tree, i);
	return make_inclusive(tree) ? KYMO_OK : KYMO_MEMORY;
}

/* Of a thread's time, whole_ns.  A thread that ended before it was sampled may have spent it
 * anywhere, and so may all such threads, in the same direction. */
struct position_errors {
	double whole_ns, effective_count;
	bool is_unseen;
};

static void errors_of(const struct position_errors *errors, double ns, double *below_ns,
		      double *above_ns, double *off_above_ns)
{
	double share = errors->whole_ns > 0 ? ns / errors->whole_ns : 0;
	struct sampled_share interval = sampled_interval(share, errors->effective_count);

	*below_ns = (interval.share - interval.low) * errors->whole_ns;
	*above_ns = (interval.high - interval.share) * errors->whole_ns;
	if (errors->is_unseen)
		*off_above_ns = *above_ns;
}

static struct calltree_estimate positions_estimate(const struct position_errors *errors,
						   double total_ns, double self_ns)
{
	struct calltree_estimate out = {.is_known = true, .total_ns = total_ns, .self_ns = self_ns};

	errors_of(errors, total_ns, &out.total_below_ns, &out.total_above_ns,
		  &out.total_off_above_ns);
	errors_of(errors, self_ns, &out.self_below_ns, &out.self_above_ns, &out.self_off_above_ns);
	return out;
}

/* Instrumented functions have times, or estimates, of their own. */
static bool has_positions(const struct calltree *tree, uint32_t region)
{
	return !functions_has_region(tree->recording->functions, region);
}

static void positions_add_flat(struct calltree *tree, uint32_t thread, const struct flat *flat)
{
	const struct calltree_positions *positions = &tree->positions[thread];
	const struct position_errors errors = {
		.whole_ns = tree->nodes[tree->thread_root[thread]].sum_ns,
		.effective_count =
			positions_effective_count((double)positions->ticks, positions->squares),
		.is_unseen = positions->count == 0,
	};
	struct calltree_estimated *next = &tree->estimated[tree->estimated_count];

	for (uint32_t i = 0; i < flat->row_count; i++) {
		const struct flat_row *row = &flat->rows[i];

		if (has_positions(tree, row->region))
			*next++ = (struct calltree_estimated){
				.thread = thread,
				.caller = CALLTREE_NONE,
				.region = row->region,
				.estimate =
					positions_estimate(&errors, row->total_ns, row->self_ns)};
	}
	for (uint32_t i = 0; i < flat->edge_count; i++) {
		const struct flat_edge *edge = &flat->edges[i];

		if (has_positions(tree, edge->callee))
			*next++ = (struct calltree_estimated){
				.thread = thread,
				.caller = edge->caller,
				.region = edge->callee,
				.estimate =
					positions_estimate(&errors, edge->total_ns, edge->self_ns)};
	}
	tree->estimated_count = (size_t)(next - tree->estimated);
}

static int estimated_compare(const void *left, const void *right)
{
	const struct calltree_estimated *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return a->region < b->region ? -1 : a->region > b->region;
}

static enum kymo_status positions_add_thread(struct calltree *tree, uint32_t thread, bool *threads,
					     size_t *capacity)
{
	size_t before = tree->estimated_count;
	struct calltree_estimated *grown;
	struct flat *flat;
	enum kymo_status status;

	threads[thread] = true;
	tree->estimated_count = 0; /* nobody's errors but those that are made here */
	status = flat_new(tree, threads, &flat);
	tree->estimated_count = before;
	threads[thread] = false;
	if (status != KYMO_OK)
		return status;
	grown = array_grow(tree->estimated, capacity,
			   before + flat->row_count + flat->edge_count + 1, sizeof(*grown));
	if (grown) {
		tree->estimated = grown;
		positions_add_flat(tree, thread, flat);
	}
	flat_free(flat);
	return grown ? KYMO_OK : KYMO_MEMORY;
}

enum kymo_status calltree_add_position_estimates(struct calltree *tree)
{
	uint32_t count = tree->recording->thread_count;
	bool *threads = calloc(count + (size_t)1, sizeof(*threads));
	size_t capacity = tree->estimated_count;
	enum kymo_status status = threads ? KYMO_OK : KYMO_MEMORY;

	for (uint32_t i = 0; tree->positions && i < count && status == KYMO_OK; i++)
		if (tree->thread_root[i] != CALLTREE_NONE)
			status = positions_add_thread(tree, i, threads, &capacity);
	free(threads);
	if (tree->positions && tree->estimated_count > 0) /* those of one thread together */
		qsort(tree->estimated, tree->estimated_count, sizeof(*tree->estimated),
		      estimated_compare);
	return status == KYMO_OK && tree->positions ? calltree_count_estimated(tree) : status;
}
