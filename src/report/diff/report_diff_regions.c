/* The regions that differ, the largest difference first, each with its significance. */
#include "report/diff/report_diff_regions.h"

#include <math.h>
#include <string.h>

#include "command/xalloc.h"
#include "model/compare/diff_make.h"
#include "model/profile/name_filter.h"
#include "report/diff/diff_regions_columns.h"
#include "report/diff/report_diff_text.h"
#include "report/tables/table_sort.h"

static bool regions_differs(const struct diff_region *region)
{
	const struct diff_value *before = &region->value[DIFF_BEFORE];
	const struct diff_value *after = &region->value[DIFF_AFTER];

	return before->self_ns != after->self_ns || before->total_ns != after->total_ns ||
	       before->count != after->count ||
	       !region->region[DIFF_BEFORE] != !region->region[DIFF_AFTER];
}

static bool regions_is_chosen(const struct diff_report *report, const struct diff_region *region,
			      const struct name_filter *filter)
{
	enum diff_measure measure = diff_order_measure(report->options.order);

	if (report->options.least > 0 &&
	    !diff_is_shown(report, diff_value_of(&region->value[DIFF_BEFORE], measure),
			   diff_value_of(&region->value[DIFF_AFTER], measure)))
		return false;
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (region->region[side] && name_filter_accepts(filter, region->region[side]))
			return true;
	}
	return false;
}

/* Ties are sorted by name. */
static void regions_sort(struct diff_regions_view *view, size_t count)
{
	enum diff_order order = view->report->options.order;
	const char *const by_name[] = {"name", NULL};
	const char *const by_size[] = {diff_order_key(order), "name", NULL};
	struct table table = diff_regions_table(view);

	table_sort(&table, count, order == DIFF_ORDER_NAME ? by_name : by_size);
}

static size_t regions_choose(struct diff_regions_view *view, const struct name_filter *filter)
{
	const struct diff *diff = view->report->diff;
	uint64_t top = view->report->options.top;
	bool has_regions;
	size_t chosen = 0;

	for (uint32_t i = 0; i < diff->region_count; i++) {
		if (regions_differs(&diff->regions[i]) &&
		    regions_is_chosen(view->report, &diff->regions[i], filter))
			view->regions[chosen++] = i;
	}
	regions_sort(view, chosen);
	view->count = top && top < chosen ? (size_t)top : chosen;
	chosen -= view->count;
	has_regions = view->count > 0;
	/* Always shown, whatever the limit, so that the rows add up to the whole time. */
	for (uint32_t i = diff->region_count; i < diff->region_count + diff->rest_count; i++) {
		if ((has_regions || regions_differs(&diff->regions[i])) &&
		    regions_is_chosen(view->report, &diff->regions[i], filter)) {
			view->regions[view->count++] = i;
			view->rest_count++;
		}
	}
	return chosen;
}

/* Time outside regions is tested separately: it does not affect the correction for the regions. */
static void regions_judge(struct diff_regions_view *view)
{
	size_t count = view->count - view->rest_count;
	struct diff_judgement *judged = xcalloc(view->count + 1, sizeof(*judged));

	xneed(diff_judge(view->report->diff, view->texts.measure, view->regions, count, judged));
	xneed(diff_judge(view->report->diff, view->texts.measure, view->regions + count,
			 view->rest_count, judged + count));
	for (size_t i = 0; i < view->count; i++)
		view->judgements[view->regions[i]] = judged[i];
}

static enum table_tone regions_tone(void *context, const void *row)
{
	const struct diff_regions_view *view = context;
	const struct diff_region *region = row;

	return diff_tone(view->judgements[region - view->report->diff->regions].verdict,
			 diff_value_of(&region->value[DIFF_BEFORE], view->texts.measure),
			 diff_value_of(&region->value[DIFF_AFTER], view->texts.measure));
}

static void regions_describe(struct diff_regions_view *view, struct diff_view *out)
{
	for (size_t i = 0; i < view->count; i++) {
		const struct diff_judgement *judgement = &view->judgements[view->regions[i]];

		out->verdicts[judgement->verdict] += i < view->count - view->rest_count;
		out->has_tests |= !isnan(judgement->p);
	}
	out->rest_count = view->rest_count;
	out->table = diff_regions_table(view);
	out->table.audience = diff_audience(view->report) | (out->has_tests ? TABLE_TESTS : 0) |
			      (view->report->diff->has_estimates ? TABLE_ESTIMATES : 0);
	out->table.tone = regions_tone;
}

struct diff_view diff_view_regions(const struct diff_report *report,
				   const struct name_filter *filter)
{
	struct diff_regions_view *view = xcalloc(1, sizeof(*view));
	struct diff_view out = {.key = "regions"};
	size_t count = (size_t)report->diff->region_count + report->diff->rest_count + 1;

	view->report = report;
	view->texts.measure = diff_order_measure(report->options.order);
	view->regions = xcalloc(count, sizeof(*view->regions));
	view->judgements = xcalloc(count, sizeof(*view->judgements));
	out.more_count = regions_choose(view, filter);
	regions_judge(view);
	regions_describe(view, &out);
	return out;
}
