/* The regions in functions.json: all of a run, or those with the largest self time.  Borrows the
 * union.  One thread; memory of command/xalloc.h. */
#ifndef KYMO_FUNCTION_LIST_H
#define KYMO_FUNCTION_LIST_H

#include "model/profile/region_union.h"

struct function_list {
	const struct region_union *regions;
	bool *is_left_out; /* by number; NULL = none */
	size_t left_out;   /* how many */
};

/* All regions. */
static inline void function_list_init(struct function_list *list,
				      const struct region_union *regions)
{
	*list = (struct function_list){.regions = regions};
}

/* The count largest, of a union of these trees. */
void function_list_keep(struct function_list *list, const struct calltree *const *trees,
			size_t tree_count, size_t count);

static inline bool function_list_is_left_out(const struct function_list *list, uint32_t number)
{
	return list->is_left_out && list->is_left_out[number];
}

#endif
