/* Selects the regions to write if not all fit: those with the largest self time, ties in order. */
#include "report/outputs/function_list.h"

#include <stdlib.h>

#include "command/xalloc.h"

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

/* Only functions are written and weighted.  Returns how many there are. */
static uint32_t list_weigh(struct weighed *weighed, const struct region_union *regions,
			   const struct calltree *const *trees, size_t tree_count)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < regions->count; i++)
		weighed[i] = (struct weighed){0, i};
	for (size_t tree = 0; tree < tree_count; tree++)
		for (uint32_t i = 0; i < trees[tree]->node_count; i++) {
			const struct calltree_node *node = &trees[tree]->nodes[i];

			weighed[region_union_number(regions, tree, node->region)].own_ns +=
				node->self_ns;
		}
	for (uint32_t i = 0; i < regions->count; i++)
		if (regions->regions[i]->kind != KYMO_REGION_ROOT)
			weighed[count++] = weighed[i];
	qsort(weighed, count, sizeof(*weighed), compare_own);
	return count;
}

void function_list_keep(struct function_list *list, const struct calltree *const *trees,
			size_t tree_count, size_t count)
{
	size_t size = list->regions->count + 1u;
	struct weighed *weighed = xcalloc(size, sizeof(*weighed));
	uint32_t all;

	xfree(list->is_left_out);
	list->is_left_out = xcalloc(size, sizeof(*list->is_left_out));
	all = list_weigh(weighed, list->regions, trees, tree_count);
	for (size_t i = count; i < all; i++)
		list->is_left_out[weighed[i].number] = true;
	xfree(weighed);
	list->left_out = count < all ? all - count : 0;
}
