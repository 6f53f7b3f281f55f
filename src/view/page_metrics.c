/* Section "metrics": what was measured on call paths besides time and calls.
 *
 * An array of {name, text, unit ("ns", "bytes", "%" or ""), adds}; those that do not add up are
 * levels, of which a path has the highest.  The values of the n-th, from 0 on, are in the blobs
 * "tree-TREE-mN" (page_tree.c). */
#include "view/page_metrics.h"

#include "view/page.h"
#include "view/page_out.h"

size_t page_metrics_find(const struct page_metrics *metrics, uint32_t id)
{
	for (size_t i = 0; i < metrics->count; i++) {
		if ((uint32_t)metrics->info[i]->metric == id)
			return i;
	}
	return PAGE_METRIC_NONE;
}

static void metrics_add(struct page_metrics *metrics, uint32_t id)
{
	const struct metric_info *info = metric_info((enum kymo_metric)id);

	if (!info || metrics->count == PAGE_METRICS_MAX || id == KYMO_METRIC_WALL_CLOCK ||
	    id == KYMO_METRIC_TRIP_COUNT || page_metrics_find(metrics, id) != PAGE_METRIC_NONE)
		return;
	metrics->info[metrics->count++] = info;
}

struct page_metrics page_metrics_of(const struct calltree *const *trees, size_t tree_count)
{
	struct page_metrics metrics = {.count = 0};

	for (size_t i = 0; i < tree_count; i++) {
		for (uint32_t k = 0; trees[i]->metrics && k < trees[i]->metric_count; k++)
			metrics_add(&metrics, trees[i]->metric_ids[k]);
	}
	return metrics;
}

static void metrics_write(struct json_writer *json, const struct metric_info *info)
{
	json_begin_object(json);
	json_pair_text(json, "name", info->name);
	json_pair_text(json, "text", info->description);
	json_pair_text(json, "unit", info->unit);
	json_pair_bool(json, "adds", info->is_accumulated);
	json_end_object(json);
}

static void write_metrics(const struct page *page, struct page_out *out)
{
	struct page_metrics metrics =
		page_metrics_of(page->loaded->trees, page->loaded->tree_count);
	struct json_writer *json;

	if (metrics.count == 0)
		return;
	json = page_json_begin(out, "metrics");
	json_begin_array(json);
	for (size_t i = 0; i < metrics.count; i++)
		metrics_write(json, metrics.info[i]);
	json_end_array(json);
	page_json_end(out);
}

const struct page_section page_metrics_section = {.write = write_metrics};
