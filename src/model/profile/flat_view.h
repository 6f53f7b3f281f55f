/* One entry per region, over the selected processes and threads of a run.
 *
 * Borrows the trees and the union of their regions. */
#ifndef KYMO_FLAT_VIEW_H
#define KYMO_FLAT_VIEW_H

#include "model/profile/region_union.h"
#include "model/profile/time_base.h"
#include "model/tree/call_count.h"

struct flat_entry {
	uint32_t region; /* number in the union */
	uint64_t calls;
	uint64_t primitive_calls; /* not recursive */
	uint64_t closed_calls;
	double self_ns, total_ns;
	double min_ns, max_ns; /* of closed calls */
	double visits_ns;      /* of all calls, recursive ones included */
	double sum_squares_ns; /* of closed calls */
	bool is_open;
	bool is_primitive_estimated;
	struct calltree_estimate estimate; /* of functions that were counted */
};

struct flat_link {		 /* caller -> callee */
	uint32_t caller, callee; /* numbers in the union; caller 0 may be "no caller" */
	bool has_caller;
	struct call_count calls;
	double self_ns, total_ns;	   /* of the callee under this caller */
	struct calltree_estimate estimate; /* of total_ns, of functions that were counted */
};

struct flat_view {
	const struct region_union *regions;
	struct flat_entry *entries;
	size_t count; /* including the rest */
	struct flat_link *links;
	size_t link_count;
	size_t rest_count;     /* the last entries: time that is in no region */
	struct time_base base; /* what percentages refer to */
	bool has_estimates;    /* some times are estimated */
};

/* thread: only that one of each process; KYMO_NO_THREAD = all. */
enum kymo_status flat_view_new(const struct calltree *const *trees, size_t tree_count,
			       const struct region_union *regions, uint32_t thread,
			       struct flat_view **out);
void flat_view_free(struct flat_view *view);

/* Standard deviation of a call's duration, of closed calls; 0 = fewer than two. */
double flat_entry_deviation(const struct flat_entry *entry);

enum view_order {
	ORDER_TOTAL,
	ORDER_SELF,
	ORDER_CALLS,
	ORDER_NAME,
	ORDER_MIN,
	ORDER_MAX,
	ORDER_MEAN,
};
#define VIEW_ORDERS "total,self,calls,name,min,max,mean" /* in the order of the enum */

/* Time outside any recorded region, or of measuring: not a call. */
static inline bool flat_entry_is_rest(const struct flat_view *view, size_t entry)
{
	return entry >= view->count - view->rest_count;
}

/* Largest first; names in alphabetical order.  Ties are sorted by name.  The rest stays last. */
void flat_view_sort(struct flat_view *view, enum view_order order);

/* Keep the entries that keep() accepts. */
void flat_view_keep(struct flat_view *view,
		    bool (*keep)(const void *context, const struct region *region),
		    const void *context);

#endif
