/* Merged estimates: errors of the tree's values and of its flat tables.  As in the processes, the
 * path of a call is not known: calls of a caller that several paths share may belong to any of
 * them. */
#include "model/tree/build/calltree_estimates.h"

#include <math.h>
#include <stdlib.h>

#include "base/hashset.h"
#include "model/tree/build/calltree_build.h"
#include "model/tree/build/calltree_counts.h"
#include "model/tree/build/estimates_stored.h"

static double off_of(const struct kymo_estimate *from, enum kymo_error_of which)
{
	return (double)from->errors[which].off;
}

static double calltree_estimates_error_of(const struct kymo_estimate *from,
					  enum kymo_error_of which)
{
	const struct kymo_error *error = &from->errors[which];

	return off_of(from, which) +
	       sqrt((double)error->squares + (double)error->squares_high * 0x1p64);
}

static struct calltree_estimated estimated_of(const struct kymo_estimate *from)
{
	return (struct calltree_estimated){
		.thread = from->thread,
		.caller = from->caller == KYMO_TOTAL_OF_REGION ? CALLTREE_NONE : from->caller,
		.region = from->region,
		.estimate =
			{
				.is_known = (from->flags & KYMO_ESTIMATE_OF_TIME) != 0,
				.has_unsure_calls = !(from->flags & KYMO_ESTIMATE_CALLS_KNOWN),
				.total_below_ns =
					calltree_estimates_error_of(from, KYMO_TOTAL_BELOW),
				.total_above_ns =
					calltree_estimates_error_of(from, KYMO_TOTAL_ABOVE),
				.self_below_ns = calltree_estimates_error_of(from, KYMO_SELF_BELOW),
				.self_above_ns = calltree_estimates_error_of(from, KYMO_SELF_ABOVE),
				.total_off_below_ns = off_of(from, KYMO_TOTAL_BELOW),
				.total_off_above_ns = off_of(from, KYMO_TOTAL_ABOVE),
				.self_off_below_ns = off_of(from, KYMO_SELF_BELOW),
				.self_off_above_ns = off_of(from, KYMO_SELF_ABOVE),
				.calls_below = calltree_estimates_error_of(from, KYMO_CALLS_BELOW),
				.calls_above = calltree_estimates_error_of(from, KYMO_CALLS_ABOVE),
			},
	};
}

static double unseen_of(const struct kymo_estimate *from)
{
	return (double)from->unseen + (double)from->unseen_high * 0x1p64;
}

/* By thread and region: calls that a caller may have made in processes where none was observed,
 * squares. */
struct unseen {
	struct hashset index; /* thread and region -> value + 1 */
	double *values;
	size_t count;
};

static bool calltree_estimates_find_unseen(const struct recording *recording, struct unseen *unseen)
{
	struct chunk_position position = {0};
	struct kymo_estimate from;

	while (estimates_stored_next(recording, &position, &from)) {
		uint64_t key = hash_pair(from.thread, from.region), found;

		if (from.caller != KYMO_TOTAL_OF_REGION)
			continue;
		found = hashset_find_key(&unseen->index, key);
		if (!found && !hashset_insert(&unseen->index, key, found = unseen->count + 1))
			return false;
		if (found > unseen->count)
			unseen->values[unseen->count++] = 0;
		unseen->values[found - 1] += unseen_of(&from);
	}
	return true;
}

/* Excluding processes in which the caller was observed. */
static void add_unseen(const struct unseen *unseen, const struct kymo_estimate *from,
		       struct calltree_estimate *estimate)
{
	uint64_t found = hashset_find_key(&unseen->index, hash_pair(from->thread, from->region));
	double rest = found ? unseen->values[found - 1] - unseen_of(from) : 0;

	if (from->caller != KYMO_TOTAL_OF_REGION)
		estimate->calls_above = hypot(estimate->calls_above, sqrt(fmax(rest, 0)));
}

static void add_intervals(struct calltree *tree, size_t count, const struct unseen *unseen)
{
	struct chunk_position position = {0};
	struct kymo_estimate from;

	while (tree->estimated_count < count &&
	       estimates_stored_next(tree->recording, &position, &from)) {
		struct calltree_estimated *to = &tree->estimated[tree->estimated_count++];

		*to = estimated_of(&from);
		add_unseen(unseen, &from, &to->estimate);
	}
	tree->has_stored_estimates = true;
}

static enum kymo_status take_estimates(struct calltree *tree)
{
	struct chunk_position position = {0};
	struct unseen unseen = {0};
	struct kymo_estimate from;
	size_t count = 0;
	bool is_complete;

	while (estimates_stored_next(tree->recording, &position, &from))
		count++;
	if (!count)
		return KYMO_OK;
	tree->estimated = calloc(count, sizeof(*tree->estimated));
	unseen.values = calloc(count, sizeof(*unseen.values));
	is_complete = tree->estimated && unseen.values &&
		      calltree_estimates_find_unseen(tree->recording, &unseen);
	if (is_complete)
		add_intervals(tree, count, &unseen);
	hashset_release(&unseen.index);
	free(unseen.values);
	return is_complete ? calltree_count_estimated(tree) : KYMO_MEMORY;
}

/* Nodes of a function below the same caller in a thread share the estimate of its calls: stored by
 * thread, caller and region. */
struct sharing {
	struct calltree *tree;
	struct hashset places; /* thread and caller -> place + 1 */
	struct hashset calls;  /* place and region -> group + 1 */
	uint32_t place_count, group_count;
	struct calls {
		double below, above;
		uint32_t paths;
	} * groups;
};

/* UINT32_MAX: there is none, or with is_new no memory for it. */
static uint32_t number_in(struct hashset *set, uint32_t first, uint32_t second, uint32_t *count,
			  bool is_new)
{
	uint64_t key = hash_pair(first, second), found = hashset_find_key(set, key);

	if (found)
		return (uint32_t)(found - 1);
	if (!is_new || !hashset_insert(set, key, *count + UINT64_C(1)))
		return UINT32_MAX;
	return (*count)++;
}

static struct calls *calls_of(struct sharing *sharing, uint32_t thread, uint32_t caller,
			      uint32_t region, bool is_new)
{
	uint32_t group,
		place = number_in(&sharing->places, thread, caller, &sharing->place_count, is_new);

	if (place == UINT32_MAX)
		return NULL;
	group = number_in(&sharing->calls, place, region, &sharing->group_count, is_new);
	return group == UINT32_MAX ? NULL : &sharing->groups[group];
}

static struct calls *calls_of_node(struct sharing *sharing, const struct calltree_node *node)
{
	if (node->parent == CALLTREE_NONE)
		return NULL;
	return calls_of(sharing, node->thread, sharing->tree->nodes[node->parent].region,
			node->region, false);
}

static bool share_calls(struct sharing *sharing)
{
	const struct calltree *tree = sharing->tree;

	sharing->groups = calloc(tree->estimated_count + 1, sizeof(*sharing->groups));
	if (!sharing->groups)
		return false;
	for (size_t i = 0; i < tree->estimated_count; i++) {
		const struct calltree_estimated *from = &tree->estimated[i];
		struct calls *calls;

		if (from->caller == CALLTREE_NONE || !from->estimate.has_unsure_calls)
			continue;
		calls = calls_of(sharing, from->thread, from->caller, from->region, true);
		if (!calls)
			return false;
		calls->below = hypot(calls->below, from->estimate.calls_below);
		calls->above = hypot(calls->above, from->estimate.calls_above);
	}
	return true;
}

static void estimates_put_interval(struct calltree *tree, const struct calls *calls, uint64_t all,
				   struct calltree_node *node)
{
	double count = (double)node->count;
	double low = calls->paths > 1 ? 0 : fmax(count - calls->below, 0);
	double high = (calls->paths > 1 ? (double)all : count) + calls->above;

	node->is_count_estimated = low < high;
	node->count_low = (uint64_t)low;
	node->count_high = high < 0x1p63 ? (uint64_t)high : UINT64_C(1) << 63;
	if (node->count_high < node->count)
		node->count_high = node->count;
	tree->has_estimated_counts |= node->is_count_estimated;
}

static bool estimates_put_intervals(struct sharing *sharing)
{
	struct calltree *tree = sharing->tree;
	uint64_t *all = calloc(sharing->group_count + (size_t)1, sizeof(*all));

	if (!all)
		return false;
	for (uint32_t i = 0; i < tree->node_count; i++) {
		struct calls *calls = calls_of_node(sharing, &tree->nodes[i]);

		if (!calls)
			continue;
		calls->paths++;
		all[calls - sharing->groups] += tree->nodes[i].count;
	}
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calls *calls = calls_of_node(sharing, &tree->nodes[i]);

		if (calls)
			estimates_put_interval(tree, calls, all[calls - sharing->groups],
					       &tree->nodes[i]);
	}
	free(all);
	return true;
}

enum kymo_status calltree_add_stored_estimates(struct calltree *tree)
{
	struct sharing sharing = {.tree = tree};
	enum kymo_status status = take_estimates(tree);

	if (status != KYMO_OK || !tree->estimated_count)
		return status;
	if (!share_calls(&sharing) || !estimates_put_intervals(&sharing))
		status = KYMO_MEMORY;
	hashset_release(&sharing.places);
	hashset_release(&sharing.calls);
	free(sharing.groups);
	return status;
}
