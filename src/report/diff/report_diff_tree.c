/* The call paths that differ as a tree: the largest difference first, with all their ancestors. */
#include "report/diff/report_diff_tree.h"

#include <math.h>
#include <string.h>

#include "command/xalloc.h"
#include "model/compare/diff_make.h"
#include "model/profile/name_filter.h"
#include "report/diff/diff_tree_columns.h"
#include "report/diff/report_diff_text.h"
#include "report/tables/table_sort.h"

/* Sort nodes by difference, the largest first; ties by number. */
static void tree_sort(struct diff_tree_view *view, uint32_t *nodes, size_t count)
{
	const char *const keys[] = {diff_order_key(view->report->options.order), NULL};
	struct table table = diff_tree_table(view, nodes, count);

	table_sort(&table, count, keys);
}

static bool node_differs(const struct diff_tree_view *view, uint32_t node)
{
	const struct diff_value *value = view->diff->nodes[node].value;

	return value[DIFF_BEFORE].count != value[DIFF_AFTER].count ||
	       value[DIFF_BEFORE].total_ns != value[DIFF_AFTER].total_ns;
}

static bool may_be_shown(const struct diff_tree_view *view, uint32_t node, const bool *is_accepted)
{
	const struct diff_value *value = view->diff->nodes[node].value;

	return is_accepted[view->diff->nodes[node].region] &&
	       (view->report->options.least <= 0 ||
		diff_is_shown(view->report, diff_value_of(&value[DIFF_BEFORE], view->texts.measure),
			      diff_value_of(&value[DIFF_AFTER], view->texts.measure)));
}

static bool *accept_regions(const struct diff *diff, const struct name_filter *filter)
{
	uint32_t count = diff->region_count + diff->rest_count;
	bool *is_accepted = xcalloc((size_t)count + 1, sizeof(*is_accepted));

	for (uint32_t i = 0; i < count; i++)
		is_accepted[i] = name_filter_accepts(filter, diff_region_shown(&diff->regions[i]));
	return is_accepted;
}

/* Returns the number of nodes that would be shown without the limit. */
static size_t diff_tree_choose(struct diff_tree_view *view, const bool *is_accepted)
{
	uint64_t top = view->report->options.top;
	size_t count = 0, shown;

	for (uint32_t i = 0; i < view->diff->node_count; i++) {
		if (node_differs(view, i) && may_be_shown(view, i, is_accepted))
			view->sorted[count++] = i;
	}
	tree_sort(view, view->sorted, count);
	shown = top && top < count ? (size_t)top : count;
	for (size_t i = 0; i < shown; i++) {
		uint32_t node = view->sorted[i];

		for (; node != DIFF_NONE && !view->is_chosen[node];
		     node = view->diff->nodes[node].parent)
			view->is_chosen[node] = true;
	}
	return count - shown;
}

/* Push the chosen children of one parent, the first to be shown on top of the stack. */
static size_t tree_push(struct diff_tree_view *view, uint32_t first, uint32_t *stack, size_t depth)
{
	size_t begin = depth;

	for (; first != DIFF_NONE; first = view->diff->nodes[first].next_sibling) {
		if (view->is_chosen[first])
			stack[depth++] = first;
	}
	tree_sort(view, stack + begin, depth - begin);
	for (size_t i = begin, k = depth; i + 1 < k; i++, k--) {
		uint32_t other = stack[i];

		stack[i] = stack[k - 1];
		stack[k - 1] = other;
	}
	return depth;
}

static void order(struct diff_tree_view *view)
{
	uint32_t *stack = view->sorted; /* no longer needed, and large enough */
	size_t depth = tree_push(view, view->diff->node_count ? 0 : DIFF_NONE, stack, 0);

	while (depth > 0) {
		uint32_t node = stack[--depth];

		view->shown[view->shown_count++] = node;
		depth = tree_push(view, view->diff->nodes[node].first_child, stack, depth);
	}
}

/* Time outside regions comes last and is always shown, so that the rows add up to the whole
 * time. */
static void report_diff_tree_add_rests(struct diff_tree_view *view, const bool *is_accepted)
{
	const struct diff *diff = view->diff;
	bool has_paths = view->shown_count > 0;

	for (uint32_t i = diff->node_count; i < diff->node_count + diff->rest_count; i++)
		if ((has_paths || node_differs(view, i)) && may_be_shown(view, i, is_accepted))
			view->shown[view->shown_count++] = i;
}

static enum table_tone tree_tone(void *context, const void *row)
{
	struct diff_tree_view *view = context;
	const struct diff_node *node = row;

	return diff_tone(diff_tree_verdict(view, node),
			 diff_value_of(&node->value[DIFF_BEFORE], view->texts.measure),
			 diff_value_of(&node->value[DIFF_AFTER], view->texts.measure));
}

static void tree_fill(struct diff_tree_view *view, const struct name_filter *filter,
		      struct diff_view *out)
{
	size_t count = (size_t)view->diff->node_count + view->diff->rest_count + 1, paths;
	bool *is_accepted = accept_regions(view->diff, filter);

	view->sorted = xcalloc(count, sizeof(*view->sorted));
	view->is_chosen = xcalloc(count, sizeof(*view->is_chosen));
	view->shown = xcalloc(count, sizeof(*view->shown));
	out->more_count = diff_tree_choose(view, is_accepted);
	order(view);
	paths = view->shown_count;
	report_diff_tree_add_rests(view, is_accepted);
	out->rest_count = view->shown_count - paths;
	for (size_t i = 0; i < paths; i++)
		out->verdicts[diff_tree_verdict(view, &view->diff->nodes[view->shown[i]])]++;
}

struct diff_view diff_view_tree(const struct diff_report *report, const struct name_filter *filter)
{
	struct diff_tree_view *view = xcalloc(1, sizeof(*view));
	struct diff_view out = {.key = "paths"};

	view->report = report;
	view->diff = report->diff;
	view->texts.measure = diff_order_measure(report->options.order);
	tree_fill(view, filter, &out);
	out.table = diff_tree_table(view, view->shown, view->shown_count);
	out.table.audience =
		diff_audience(report) | (report->diff->has_estimated_counts ? TABLE_ESTIMATES : 0);
	out.table.tone = tree_tone;
	return out;
}
