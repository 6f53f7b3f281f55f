/* Call paths with their own time.  One pass suffices: the tree has parents before their children,
 * so the target of a parent's time is known before its children's. */
#include "export/tree_paths.h"

#include "command/xalloc.h"

static bool paths_is_shown(const struct calltree_node *node, const bool *regions)
{
	return node->parent != CALLTREE_NONE && node->depth <= TREE_PATH_MAX &&
	       (!regions || regions[node->region]);
}

static void paths_assign(struct tree_paths *paths, const bool *regions)
{
	for (uint32_t i = 0; i < paths->tree->node_count; i++) {
		const struct calltree_node *node = &paths->tree->nodes[i];
		uint32_t above =
			node->parent == CALLTREE_NONE ? CALLTREE_NONE : paths->shown[node->parent];

		paths->shown[i] = paths_is_shown(node, regions) ? i : above;
		paths->caller[i] = above;
		if (paths->shown[i] != CALLTREE_NONE && node->self_ns > 0)
			paths->self_ns[paths->shown[i]] += node->self_ns;
	}
}

void tree_paths_init(struct tree_paths *paths, const struct calltree *tree, const bool *regions)
{
	size_t count = (size_t)tree->node_count + 1;

	*paths = (struct tree_paths){
		.tree = tree,
		.self_ns = xcalloc(count, sizeof(*paths->self_ns)),
		.shown = xcalloc(count, sizeof(*paths->shown)),
		.caller = xcalloc(count, sizeof(*paths->caller)),
	};
	paths_assign(paths, regions);
}

void tree_paths_release(struct tree_paths *paths)
{
	xfree(paths->self_ns);
	xfree(paths->shown);
	xfree(paths->caller);
	*paths = (struct tree_paths){0};
}

uint32_t tree_path(const struct tree_paths *paths, uint32_t node, uint32_t *regions)
{
	uint32_t count = 0, place;

	for (uint32_t at = node; at != CALLTREE_NONE; at = paths->caller[at])
		count++;
	place = count;
	for (uint32_t at = node; at != CALLTREE_NONE; at = paths->caller[at])
		regions[--place] = paths->tree->nodes[at].region;
	return count;
}

uint64_t tree_weight(double self_ns, double unit_ns, double *carry)
{
	double exact = self_ns / unit_ns + *carry;
	uint64_t whole = exact > 0 ? (uint64_t)(exact + 0.5) : 0;

	*carry = exact - (double)whole;
	return whole;
}
