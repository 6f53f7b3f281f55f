/* The call paths of a run as one tree: identical paths of all threads and processes are one node.
 * The thread roots are one root, so that a thread is not below its creator. Borrows the trees. */
#ifndef KYMO_PAGE_PATHS_H
#define KYMO_PAGE_PATHS_H

#include "model/profile/region_union.h"
#include "view/page_metrics.h"

#define PAGE_PATHS_NONE UINT32_MAX

struct page_path {
	uint32_t region; /* number in the union; of the root meaningless */
	uint32_t parent, first_child, next_sibling; /* PAGE_PATHS_NONE = none */
	uint64_t count;
	double self_ns, total_ns;
};

struct page_paths {
	struct page_path *paths; /* parents before children, the root first */
	size_t count, capacity;
	size_t rest_count; /* the last, below the root: time outside regions */
	double *metrics;   /* per path the inclusive values of the listed metrics; may be NULL */
	size_t metric_count;
};

/* metrics: NULL = none.  thread: only that one of tree `only`; KYMO_NO_THREAD = all threads of all
 * trees. */
struct page_paths page_paths_new(const struct calltree *const *trees, size_t tree_count,
				 const struct region_union *regions,
				 const struct page_metrics *metrics, size_t only, uint32_t thread);
void page_paths_release(struct page_paths *paths);

#endif
