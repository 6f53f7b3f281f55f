/* Which regions are kept where not all are: those with the most time of their own, and of those
 * with the same the first. */
#include "report/outputs/function_list.h"

#include <stdlib.h>

struct weighed {
	double own_ns;
	uint32_t number;
};

static int compare_own(const void *left, const void *right)
{
	const struct weighed *a = left, *b = right;

	if (a->own_ns != b->own_ns)
		return a->own_ns < b->own_ns ? 1 : -1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void list_weigh(struct weighed *weighed, const struct region_union *regions,
		       const struct calltree *const *trees, size_t tree_count)
{
	for (uint32_t i = 0; i < regions->count; i++)
		weighed[i] = (struct weighed){0, i};
	for (size_t tree = 0; tree < tree_count; tree++)
		for (uint32_t i = 0; i < trees[tree]->node_count; i++) {
			const struct calltree_node *node = &trees[tree]->nodes[i];

			weighed[region_union_number(regions, tree, node->region)].own_ns +=
				node->self_ns;
		}
	qsort(weighed, regions->count, sizeof(*weighed), compare_own);
}

bool function_list_keep(struct function_list *list, const struct calltree *const *trees,
			size_t tree_count, size_t count)
{
	uint32_t all = list->regions->count;
	struct weighed *weighed = malloc((all + 1u) * sizeof(*weighed));
	bool *is_left_out = calloc(all + 1u, sizeof(*is_left_out));

	if (!weighed || !is_left_out) {
		free(weighed);
		free(is_left_out);
		return false;
	}
	list_weigh(weighed, list->regions, trees, tree_count);
	for (size_t i = count; i < all; i++)
		is_left_out[weighed[i].number] = true;
	free(weighed);
	function_list_release(list);
	list->is_left_out = is_left_out;
	list->left_out = count < all ? all - count : 0;
	return true;
}

void function_list_release(struct function_list *list)
{
	free(list->is_left_out);
	list->is_left_out = NULL;
	list->left_out = 0;
}
