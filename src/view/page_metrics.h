/* The metrics that call paths of a run have besides time and calls: those that any of its
 * processes recorded.  Borrows the trees; the list is small and the caller's. */
#ifndef KYMO_PAGE_METRICS_H
#define KYMO_PAGE_METRICS_H

#include <stddef.h>

#include "format/metric.h"
#include "model/tree/calltree.h"

#define PAGE_METRICS_MAX (KYMO_METRIC_COUNT + METRIC_NAMED_MAX)
#define PAGE_METRIC_NONE SIZE_MAX

struct page_metrics {
	const struct metric_info *info[PAGE_METRICS_MAX];
	size_t count;
};

struct page_metrics page_metrics_of(const struct calltree *const *trees, size_t tree_count);
/* Position in the list, or PAGE_METRIC_NONE. */
size_t page_metrics_find(const struct page_metrics *metrics, uint32_t id);

#endif
