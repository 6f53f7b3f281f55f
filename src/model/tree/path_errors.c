/* The samples of all threads are pooled. */
#include "model/tree/path_errors.h"

#include <math.h>

#include "model/recording/recording_open.h"
#include "model/samples/sampled_kinds.h"
#include "model/tree/build/calltree_positions.h"
#include "model/tree/calltree.h"

struct pool {
	double weight_ns, squares;
};

/* Functions that are instrumented as well have times of their own. */
static bool all_have_positions(const struct calltree *const *trees, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!trees[i]->positions || trees[i]->recording->functions)
			return false;
	return count > 0;
}

static void errors_add_thread(struct path_errors *errors, struct pool *pool,
			      const struct calltree *tree, uint32_t thread)
{
	const struct calltree_positions *positions = &tree->positions[thread];
	double tick_ns = recording_tick_ns(tree->recording);
	double ns;

	if (tree->thread_root[thread] == CALLTREE_NONE)
		return;
	ns = tree->nodes[tree->thread_root[thread]].sum_ns;
	errors->whole_ns += ns;
	if (positions->count == 0)
		errors->unseen_ns += ns;
	pool->weight_ns += (double)positions->ticks * tick_ns;
	pool->squares += positions->squares * tick_ns * tick_ns;
}

struct path_errors path_errors_of(const struct calltree *const *trees, size_t tree_count,
				  uint32_t thread)
{
	struct path_errors errors = {.is_known = all_have_positions(trees, tree_count)};
	struct pool pool = {0};

	for (size_t i = 0; errors.is_known && i < tree_count; i++)
		for (uint32_t t = 0; t < trees[i]->recording->thread_count; t++)
			if (thread == KYMO_NO_THREAD || thread == t)
				errors_add_thread(&errors, &pool, trees[i], t);
	errors.effective_count = positions_effective_count(pool.weight_ns, pool.squares);
	return errors;
}

static struct sampled_share share_of(const struct path_errors *errors, double ns)
{
	double share = errors->whole_ns > 0 ? ns / errors->whole_ns : 0;

	return sampled_interval(fmin(share, 1), errors->effective_count);
}

double path_errors_low(const struct path_errors *errors, double ns)
{
	return fmax(share_of(errors, ns).low * errors->whole_ns - errors->unseen_ns, 0);
}

double path_errors_high(const struct path_errors *errors, double ns)
{
	return fmin(share_of(errors, ns).high * errors->whole_ns + errors->unseen_ns,
		    errors->whole_ns);
}

double path_errors_off(const struct path_errors *errors, double ns)
{
	return fmax(ns - path_errors_low(errors, ns), path_errors_high(errors, ns) - ns);
}
