/* Follows the largest callee, with all nodes of all trees that the path so far leads to.
 *
 * It follows sets of nodes: only the callees of one path are visited, so that this is fast in trees
 * of any size. */
#include "model/findings/hot_path.h"

#include <stdlib.h>

#include "base/array.h"

struct node_ref { /* a node of one of the trees */
	uint32_t tree, node;
};

struct callee {
	uint32_t region;
	struct node_ref node_ref;
};

struct walk {
	const struct loaded_run *loaded;
	const struct region_union *regions;
	struct hot_path *path;
	size_t step_capacity;
	struct node_ref *refs; /* nodes at the end of the path */
	size_t ref_count, ref_capacity;
	struct callee *callees; /* of all refs, by region */
	size_t callee_count, callee_capacity;
};

static const struct calltree_node *node_at(const struct walk *walk, struct node_ref node_ref)
{
	return &walk->loaded->trees[node_ref.tree]->nodes[node_ref.node];
}

static bool path_add_node(struct walk *walk, struct node_ref node_ref)
{
	struct node_ref *grown =
		array_grow(walk->refs, &walk->ref_capacity, walk->ref_count + 1, sizeof(*grown));

	if (!grown)
		return false;
	walk->refs = grown;
	grown[walk->ref_count++] = node_ref;
	return true;
}

static bool path_add_roots(struct walk *walk, uint32_t thread)
{
	for (size_t i = 0; i < walk->loaded->tree_count; i++) {
		const struct calltree *tree = walk->loaded->trees[i];

		for (uint32_t k = 0; k < tree->recording->thread_count; k++) {
			struct node_ref node_ref = {(uint32_t)i, tree->thread_root[k]};

			if (node_ref.node == CALLTREE_NONE ||
			    (thread != KYMO_NO_THREAD && thread != k))
				continue;
			if (!path_add_node(walk, node_ref))
				return false;
		}
	}
	return true;
}

static bool add_callees_of(struct walk *walk, struct node_ref node_ref)
{
	const struct calltree *tree = walk->loaded->trees[node_ref.tree];
	uint32_t child = tree->nodes[node_ref.node].first_child;

	for (; child != CALLTREE_NONE; child = tree->nodes[child].next_sibling) {
		struct callee *grown = array_grow(walk->callees, &walk->callee_capacity,
						  walk->callee_count + 1, sizeof(*grown));

		if (!grown)
			return false;
		walk->callees = grown;
		grown[walk->callee_count++] = (struct callee){
			.region = region_union_number(walk->regions, node_ref.tree,
						      tree->nodes[child].region),
			.node_ref = {node_ref.tree, child},
		};
	}
	return true;
}

static int by_region(const void *left, const void *right)
{
	const struct callee *a = left, *b = right;

	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	if (a->node_ref.tree != b->node_ref.tree)
		return a->node_ref.tree < b->node_ref.tree ? -1 : 1;
	return (a->node_ref.node > b->node_ref.node) - (a->node_ref.node < b->node_ref.node);
}

static bool list_callees(struct walk *walk)
{
	walk->callee_count = 0;
	for (size_t i = 0; i < walk->ref_count; i++)
		if (!add_callees_of(walk, walk->refs[i]))
			return false;
	if (walk->callee_count > 0)
		qsort(walk->callees, walk->callee_count, sizeof(*walk->callees), by_region);
	return true;
}

static void sum_step(const struct walk *walk, size_t begin, size_t end, struct hot_step *step)
{
	*step = (struct hot_step){.region = walk->callees[begin].region, .levels = 1};
	for (size_t i = begin; i < end; i++) {
		const struct calltree_node *node = node_at(walk, walk->callees[i].node_ref);

		call_count_add(&step->calls, &call_count_of(node));
		step->self_ns += node->self_ns;
		step->total_ns += node->sum_ns;
	}
}

/* The callee with the largest total; first and end of its nodes among the callees.  Sets the path's
 * fields about callees. */
static void path_choose(struct walk *walk, struct hot_step *best, size_t *begin_out,
			size_t *end_out)
{
	struct hot_path *path = walk->path;
	size_t begin = 0, end;

	*best = (struct hot_step){0};
	path->callee_count = 0;
	for (; begin < walk->callee_count; begin = end) {
		struct hot_step step;

		for (end = begin; end < walk->callee_count &&
				  walk->callees[end].region == walk->callees[begin].region;)
			end++;
		sum_step(walk, begin, end, &step);
		if (path->callee_count++ == 0 || step.total_ns > best->total_ns) {
			*best = step;
			*begin_out = begin;
			*end_out = end;
		}
	}
	path->callee = best->region;
	path->callee_ns = best->total_ns;
}

static bool path_add_step(struct walk *walk, const struct hot_step *step)
{
	struct hot_path *path = walk->path;
	struct hot_step *last = path->count ? &path->steps[path->count - 1] : NULL;
	struct hot_step *grown;

	if (last && last->region == step->region) {
		last->levels++;
		/* A sample belongs to all levels, a call to its own. */
		if (!walk->loaded->is_sampled)
			call_count_add(&last->calls, &step->calls);
		last->self_ns += step->self_ns;
		return true;
	}
	grown = array_grow(path->steps, &walk->step_capacity, path->count + 1, sizeof(*grown));
	if (!grown)
		return false;
	path->steps = grown;
	grown[path->count++] = *step;
	return true;
}

static bool path_follow(struct walk *walk, double above)
{
	double caller_ns = walk->path->base.whole_ns;
	struct hot_step best;
	size_t begin = 0, end = 0;

	for (;;) {
		if (!list_callees(walk))
			return false;
		path_choose(walk, &best, &begin, &end);
		if (best.total_ns <= 0 || best.total_ns < above * caller_ns)
			return true;
		best.caller_ns = caller_ns;
		if (!path_add_step(walk, &best))
			return false;
		walk->ref_count = 0;
		for (size_t i = begin; i < end; i++)
			if (!path_add_node(walk, walk->callees[i].node_ref))
				return false;
		caller_ns = best.total_ns;
	}
}

enum kymo_status hot_path_new(const struct loaded_run *loaded, const struct region_union *regions,
			      uint32_t thread, double above, struct hot_path **out)
{
	struct walk walk = {
		.loaded = loaded,
		.regions = regions,
		.path = calloc(1, sizeof(*walk.path)),
	};
	bool is_complete;

	if (walk.path)
		walk.path->base = time_base_of(loaded->trees, loaded->tree_count, thread);
	is_complete = walk.path && path_add_roots(&walk, thread) && path_follow(&walk, above);
	free(walk.refs);
	free(walk.callees);
	if (!is_complete) {
		hot_path_free(walk.path);
		return KYMO_MEMORY;
	}
	*out = walk.path;
	return KYMO_OK;
}

void hot_path_free(struct hot_path *path)
{
	if (!path)
		return;
	free(path->steps);
	free(path);
}
