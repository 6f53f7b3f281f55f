/* The regions that functions.json holds: all of a run, or those with the most time in their own
 * lines.  Borrows the union.  One thread; memory of
 * command/xalloc.h. */
#ifndef KYMO_FUNCTION_LIST_H
#define KYMO_FUNCTION_LIST_H

#include "model/profile/region_union.h"

struct function_list {
	const struct region_union *regions;
	bool *is_left_out; /* by number; NULL = none is */
	size_t left_out;   /* how many */
};

/* All of them. */
static inline void function_list_init(struct function_list *list,
				      const struct region_union *regions)
{
	*list = (struct function_list){.regions = regions};
}

/* count of them, of a union of these trees. */
void function_list_keep(struct function_list *list, const struct calltree *const *trees,
			size_t tree_count, size_t count);

static inline bool function_list_is_left_out(const struct function_list *list, uint32_t number)
{
	return list->is_left_out && list->is_left_out[number];
}

#endif
