/* Adds up errors of estimates. */
#include "merge/merge_estimates.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "merge/inputs/merge_compare.h"
#include "merge/inputs/merge_problem.h"
#include "model/tree/build/estimates_stored.h"
#include "model/tree/flat.h"

static bool estimates_find_place(struct merge_estimates *estimates,
				 const struct merge_estimate *wanted, uint32_t *place_out)
{
	uint64_t key = hash_pair(wanted->thread, wanted->caller);
	uint64_t found = hashset_find_key(&estimates->places, key);

	*place_out = found ? (uint32_t)(found - 1) : estimates->place_count;
	if (found)
		return true;
	return hashset_insert(&estimates->places, key, ++estimates->place_count);
}

/* The estimate of that thread, caller and region, found or added; NULL = no memory. */
static struct merge_estimate *estimates_find(struct merge_estimates *estimates,
					     const struct merge_estimate *wanted)
{
	struct merge_estimate *items;
	uint64_t key, found;
	uint32_t place;

	if (!estimates_find_place(estimates, wanted, &place))
		return NULL;
	key = hash_pair(place, wanted->region);
	found = hashset_find_key(&estimates->by_place, key);
	if (found)
		return &estimates->items[found - 1];
	items = array_grow(estimates->items, &estimates->capacity, estimates->count + 1,
			   sizeof(*items));
	if (!items)
		return NULL;
	estimates->items = items;
	if (!hashset_insert(&estimates->by_place, key, estimates->count + 1))
		return NULL;
	items[estimates->count] = (struct merge_estimate){
		.thread = wanted->thread, .region = wanted->region, .caller = wanted->caller};
	return &items[estimates->count++];
}

static bool merge_merge_estimates_add(struct merge_estimates *estimates,
				      const struct merge_estimate *more)
{
	struct merge_estimate *to = estimates_find(estimates, more);

	if (!to)
		return false;
	to->flags |= more->flags;
	to->unseen = merge_add_natural(to->unseen, more->unseen);
	for (int i = 0; i < KYMO_ERRORS; i++) {
		to->errors[i].off = merge_add(to->errors[i].off, more->errors[i].off);
		to->errors[i].squares =
			merge_add_natural(to->errors[i].squares, more->errors[i].squares);
	}
	return true;
}

static bool name_regions(struct merge_estimates *estimates, const struct recording *recording,
			 uint32_t thread, uint32_t caller, uint32_t region,
			 struct merge_estimate *out)
{
	struct merge_region of_thread = merge_region_of_thread(&recording->threads[thread]);
	struct merge_region of_region = merge_region_of(&recording->regions[region]);

	out->thread = merge_regions_add(&estimates->regions, &of_thread);
	out->region = merge_regions_add(&estimates->regions, &of_region);
	out->caller = caller == KYMO_TOTAL_OF_REGION ? MERGE_BY_ALL : MERGE_BY_THREAD;
	if (out->caller == MERGE_BY_THREAD && caller != 0) {
		struct merge_region of_caller = merge_region_of(&recording->regions[caller]);

		out->caller = merge_regions_add(&estimates->regions, &of_caller);
		if (out->caller == MERGE_NO_REGION)
			return false;
	}
	return out->thread != MERGE_NO_REGION && out->region != MERGE_NO_REGION;
}

/* Rounded up: a small error must not vanish. */
static struct merge_error merge_estimates_error_of(double error, double off)
{
	double rest = ceil(fmax(error - off, 0));

	return (struct merge_error){
		.off = merge_ns_of(ceil(fmax(fmin(off, error), 0))),
		.squares = (merge_natural)merge_whole_of(rest * rest),
	};
}

static void merge_estimates_take_times(const struct calltree_estimate *from,
				       struct merge_estimate *to)
{
	if (!from->is_known)
		return;
	to->flags |= KYMO_ESTIMATE_OF_TIME;
	to->errors[KYMO_TOTAL_BELOW] =
		merge_estimates_error_of(from->total_below_ns, from->total_off_below_ns);
	to->errors[KYMO_TOTAL_ABOVE] =
		merge_estimates_error_of(from->total_above_ns, from->total_off_above_ns);
	to->errors[KYMO_SELF_BELOW] =
		merge_estimates_error_of(from->self_below_ns, from->self_off_below_ns);
	to->errors[KYMO_SELF_ABOVE] =
		merge_estimates_error_of(from->self_above_ns, from->self_off_above_ns);
}

/* Of a region in one process. */
struct region_calls {
	/* How many calls a caller without any timed call may have made: the parts of observed
	 * callers are not known more exactly than that; -1 = exact. */
	double unseen;
	bool is_unsure; /* which path made how many is an estimate */
};

static void merge_estimates_find_unseen(const struct flat *flat, struct region_calls *calls)
{
	for (uint32_t i = 0; i < flat->row_count; i++)
		calls[flat->rows[i].region] = (struct region_calls){
			.unseen = flat->rows[i].estimate.is_known ? 0 : -1,
			.is_unsure = flat->rows[i].estimate.has_unsure_calls,
		};
	for (uint32_t i = 0; i < flat->edge_count; i++) {
		const struct flat_edge *edge = &flat->edges[i];
		struct region_calls *of = &calls[edge->callee];

		if (of->unseen >= 0)
			of->unseen = fmax(of->unseen, edge->estimate.calls_below);
	}
}

/* So that flags are just added up: while they are, this one is set where that of the file is not.
 */
#define UNSURE_CALLS KYMO_ESTIMATE_CALLS_KNOWN

static uint32_t unsure_flag(const struct region_calls *calls)
{
	return calls->is_unsure ? UNSURE_CALLS : 0;
}

static bool estimates_add_rows(struct merge_estimates *estimates, const struct recording *recording,
			       uint32_t thread, const struct flat *flat,
			       const struct region_calls *calls)
{
	for (uint32_t i = 0; i < flat->row_count; i++) {
		const struct flat_row *row = &flat->rows[i];
		struct merge_estimate more = {.flags = unsure_flag(&calls[row->region])};

		if (calls[row->region].unseen < 0)
			continue;
		merge_estimates_take_times(&row->estimate, &more);
		more.unseen = merge_estimates_error_of(calls[row->region].unseen, 0).squares;
		if (!name_regions(estimates, recording, thread, KYMO_TOTAL_OF_REGION, row->region,
				  &more) ||
		    !merge_merge_estimates_add(estimates, &more))
			return false;
	}
	return true;
}

/* Also exact ones: their calls by path are less exact. */
static bool estimates_add_edges(struct merge_estimates *estimates,
				const struct recording *recording, uint32_t thread,
				const struct flat *flat, const struct region_calls *calls)
{
	for (uint32_t i = 0; i < flat->edge_count; i++) {
		const struct flat_edge *edge = &flat->edges[i];
		struct merge_estimate more = {.flags = unsure_flag(&calls[edge->callee])};

		if (calls[edge->callee].unseen < 0)
			continue;
		merge_estimates_take_times(&edge->estimate, &more);
		more.unseen = merge_estimates_error_of(calls[edge->callee].unseen, 0).squares;
		more.errors[KYMO_CALLS_BELOW] =
			merge_estimates_error_of(edge->estimate.calls_below, 0);
		more.errors[KYMO_CALLS_ABOVE] =
			merge_estimates_error_of(edge->estimate.calls_above, 0);
		if (!name_regions(estimates, recording, thread, edge->caller, edge->callee,
				  &more) ||
		    !merge_merge_estimates_add(estimates, &more))
			return false;
	}
	return true;
}

static bool estimates_add_thread(struct merge_estimates *estimates, const struct calltree *tree,
				 uint32_t thread, bool *is_chosen, struct region_calls *calls)
{
	struct flat *flat = NULL;
	bool is_complete;

	is_chosen[thread] = true;
	is_complete = flat_new(tree, is_chosen, &flat) == KYMO_OK;
	if (is_complete)
		merge_estimates_find_unseen(flat, calls);
	is_complete = is_complete &&
		      estimates_add_rows(estimates, tree->recording, thread, flat, calls) &&
		      estimates_add_edges(estimates, tree->recording, thread, flat, calls);
	is_chosen[thread] = false;
	flat_free(flat);
	return is_complete;
}

/* Estimates are sorted by thread. */
static bool estimates_add_tree(struct merge_estimates *estimates, const struct calltree *tree)
{
	const struct recording *recording = tree->recording;
	bool *is_chosen = calloc(recording->thread_count + (size_t)1, sizeof(*is_chosen));
	struct region_calls *calls = calloc(recording->region_count + (size_t)1, sizeof(*calls));
	bool is_complete = is_chosen && calls;

	for (size_t i = 0; is_complete && i < tree->estimated_count; i++) {
		uint32_t thread = tree->estimated[i].thread;

		if (i == 0 || thread != tree->estimated[i - 1].thread)
			is_complete =
				estimates_add_thread(estimates, tree, thread, is_chosen, calls);
	}
	free(is_chosen);
	free(calls);
	return is_complete;
}

static bool add_stored_estimates(struct merge_estimates *estimates,
				 const struct recording *recording)
{
	struct chunk_position position = {0};
	struct kymo_estimate from;

	while (estimates_stored_next(recording, &position, &from)) {
		struct merge_estimate more = {
			.flags = from.flags ^ UNSURE_CALLS,
			.unseen = (merge_natural)from.unseen_high << 64 | from.unseen,
		};

		for (int i = 0; i < KYMO_ERRORS; i++)
			more.errors[i] = (struct merge_error){
				.off = from.errors[i].off,
				.squares = (merge_natural)from.errors[i].squares_high << 64 |
					   from.errors[i].squares,
			};
		if (!name_regions(estimates, recording, from.thread, from.caller, from.region,
				  &more) ||
		    !merge_merge_estimates_add(estimates, &more))
			return false;
	}
	return true;
}

bool merge_estimates_add(struct merge_estimates *estimates, const struct recording *recording,
			 const struct calltree *calls)
{
	if (!calls)
		return add_stored_estimates(estimates, recording);
	return calls->estimated_count == 0 || estimates_add_tree(estimates, calls);
}

enum kymo_status merge_estimates_spill(struct merge_estimates *estimates, struct merge_spill *spill,
				       struct problem *problem)
{
	struct merge_tree tree;
	enum kymo_status status;

	if (!estimates->count)
		return KYMO_OK;
	merge_tree_init(&tree);
	tree.regions = estimates->regions;
	estimates->regions = (struct merge_regions){0};
	estimates->run = spill->run_count;
	status = merge_spill_tree(spill, &tree, &estimates->rank, problem);
	merge_tree_release(&tree); /* in case it was not written */
	return status;
}

static int compare_estimates(const void *left, const void *right)
{
	const struct merge_estimate *a = left, *b = right;
	int order = merge_compare_numbers(a->thread, b->thread);

	if (order == 0)
		order = merge_compare_numbers(a->caller, b->caller);
	return order ? order : merge_compare_numbers(a->region, b->region);
}

static uint32_t estimates_id_of(const struct merge_estimates *estimates,
				const struct merge_joined *joined, uint32_t region)
{
	return merge_join_region(joined, estimates->run, estimates->rank[region]);
}

static void merge_estimates_write_one(const struct merge_estimate *from,
				      struct recording_writer *maker)
{
	struct kymo_estimate estimate = {
		.thread = from->thread,
		.region = from->region,
		.caller = from->caller,
		.flags = from->flags ^ UNSURE_CALLS,
		.unseen = (uint64_t)from->unseen,
		.unseen_high = (uint64_t)(from->unseen >> 64),
	};

	for (int i = 0; i < KYMO_ERRORS; i++)
		estimate.errors[i] = (struct kymo_error){
			.off = from->errors[i].off,
			.squares = (uint64_t)from->errors[i].squares,
			.squares_high = (uint64_t)(from->errors[i].squares >> 64),
		};
	recording_writer_estimate(maker, &estimate);
}

void merge_estimates_write(struct merge_estimates *estimates, const struct merge_joined *joined)
{
	for (size_t i = 0; i < estimates->count; i++) {
		struct merge_estimate *item = &estimates->items[i];

		item->thread =
			estimates_id_of(estimates, joined, item->thread) - joined->first_thread;
		item->region = estimates_id_of(estimates, joined, item->region);
		if (item->caller == MERGE_BY_ALL)
			item->caller = KYMO_TOTAL_OF_REGION;
		else
			item->caller = item->caller == MERGE_BY_THREAD
					       ? 0
					       : estimates_id_of(estimates, joined, item->caller);
	}
	if (estimates->count > 1)
		qsort(estimates->items, estimates->count, sizeof(*estimates->items),
		      compare_estimates);
	for (size_t i = 0; i < estimates->count; i++)
		merge_estimates_write_one(&estimates->items[i], joined->maker);
}

void merge_estimates_release(struct merge_estimates *estimates)
{
	merge_regions_release(&estimates->regions);
	hashset_release(&estimates->places);
	hashset_release(&estimates->by_place);
	free(estimates->items);
	free(estimates->rank);
	*estimates = (struct merge_estimates){0};
}
