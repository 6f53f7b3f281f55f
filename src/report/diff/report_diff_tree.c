/* The call paths that differ as a tree: the largest difference first, with all that is above. */
#include "report/diff/report_diff_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/compare/diff_make.h"
#include "model/profile/name_filter.h"
#include "report/diff/report_diff_text.h"

#define INDENT_DEPTHS 14 /* deeper rows carry their depth as a number */

static const struct table_column tree_columns[] = {
	{"DIFF", "difference", TABLE_CHANGE, TABLE_ALL, .get = NULL},
	{"   CHANGE", "change", TABLE_TEXT, TABLE_ALL, .get = NULL},
	{"BEFORE", "before", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"AFTER", "after", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, .get = NULL},
	{"MORE", "more_calls", TABLE_CHANGE_NUMBER, TABLE_ALL, .get = NULL},
	{"REGION", "region", TABLE_TEXT, TABLE_ALL, .get = NULL},
};

static const struct table_column program_columns[] = {
	{"DEPTH", "depth", TABLE_ID, TABLE_ALL, .get = NULL},
	{"STATUS", "status", TABLE_TEXT, TABLE_ALL, .get = NULL},
	{"NAME", "name", TABLE_TEXT, TABLE_ALL, .get = NULL},
	{"PLACE", "place", TABLE_TEXT, TABLE_ALL, .get = NULL},
	{"SELF BEFORE", "self_before", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"SELF AFTER", "self_after", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"SELF DIFF", "self_difference", TABLE_CHANGE, TABLE_ALL, .get = NULL},
	{"TOTAL BEFORE", "total_before", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"TOTAL AFTER", "total_after", TABLE_DURATION, TABLE_ALL, .get = NULL},
	{"TOTAL DIFF", "total_difference", TABLE_CHANGE, TABLE_ALL, .get = NULL},
	{"CALLS BEFORE", "calls_before", TABLE_NUMBER, TABLE_ALL, .get = NULL},
	{"CALLS AFTER", "calls_after", TABLE_NUMBER, TABLE_ALL, .get = NULL},
	/* Only where calls of a path are estimates: */
	{"CALLS BEFORE LOW", "calls_before_low", TABLE_NUMBER, TABLE_ALL, .get = NULL},
	{"CALLS BEFORE HIGH", "calls_before_high", TABLE_NUMBER, TABLE_ALL, .get = NULL},
	{"CALLS AFTER LOW", "calls_after_low", TABLE_NUMBER, TABLE_ALL, .get = NULL},
	{"CALLS AFTER HIGH", "calls_after_high", TABLE_NUMBER, TABLE_ALL, .get = NULL},
};
#define INTERVAL_COLUMNS 4

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

struct tree_view {
	const struct diff_report *report;
	const struct diff *diff;
	enum diff_measure measure;
	bool is_for_people;
	uint32_t *sorted; /* nodes that may be shown, by their size; then siblings by parent */
	bool *is_chosen;  /* per node */
	uint32_t *shown;  /* nodes in the order of the table */
	size_t shown_count;
	char text[REPORT_NAME_MAX];
};

static double tree_size_of(const struct tree_view *view, uint32_t node)
{
	const struct diff_value *value = view->diff->nodes[node].value;

	if (view->report->options.order == DIFF_ORDER_CALLS)
		return fabs(value[DIFF_AFTER].count - value[DIFF_BEFORE].count);
	if (view->report->options.order == DIFF_ORDER_CHANGE)
		return fabs(diff_percent(diff_value_of(&value[DIFF_BEFORE], view->measure),
					 diff_value_of(&value[DIFF_AFTER], view->measure)));
	return fabs(diff_value_of(&value[DIFF_AFTER], view->measure) -
		    diff_value_of(&value[DIFF_BEFORE], view->measure));
}

static int tree_by_size(const void *left, const void *right, void *context)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	double first = tree_size_of(context, a), second = tree_size_of(context, b);

	if (first != second)
		return first < second ? 1 : -1;
	return a < b ? -1 : a > b;
}

static bool may_be_shown(const struct tree_view *view, uint32_t node, const bool *is_accepted)
{
	const struct diff_value *value = view->diff->nodes[node].value;

	return is_accepted[view->diff->nodes[node].region] &&
	       (value[DIFF_BEFORE].count != value[DIFF_AFTER].count ||
		value[DIFF_BEFORE].total_ns != value[DIFF_AFTER].total_ns) &&
	       (view->report->options.least <= 0 ||
		diff_is_shown(view->report, diff_value_of(&value[DIFF_BEFORE], view->measure),
			      diff_value_of(&value[DIFF_AFTER], view->measure)));
}

static bool *accept_regions(const struct diff *diff, const struct name_filter *filter)
{
	uint32_t count = diff->region_count + diff->rest_count;
	bool *is_accepted = calloc((size_t)count + 1, sizeof(*is_accepted));

	for (uint32_t i = 0; is_accepted && i < count; i++)
		is_accepted[i] = name_filter_accepts(filter, diff_region_shown(&diff->regions[i]));
	return is_accepted;
}

/* The number of nodes that could be shown but for the limit. */
static size_t diff_tree_choose(struct tree_view *view, const bool *is_accepted)
{
	uint64_t top = view->report->options.top;
	size_t count = 0, shown;

	for (uint32_t i = 0; i < view->diff->node_count; i++) {
		if (may_be_shown(view, i, is_accepted))
			view->sorted[count++] = i;
	}
	qsort_r(view->sorted, count, sizeof(*view->sorted), tree_by_size, view);
	shown = top && top < count ? (size_t)top : count;
	for (size_t i = 0; i < shown; i++) {
		uint32_t node = view->sorted[i];

		for (; node != DIFF_NONE && !view->is_chosen[node];
		     node = view->diff->nodes[node].parent)
			view->is_chosen[node] = true;
	}
	return count - shown;
}

/* Chosen children of one parent, the first to be shown on top of the stack. */
static size_t tree_push(const struct tree_view *view, uint32_t first, uint32_t *stack, size_t depth)
{
	size_t begin = depth;

	for (; first != DIFF_NONE; first = view->diff->nodes[first].next_sibling) {
		if (view->is_chosen[first])
			stack[depth++] = first;
	}
	qsort_r(stack + begin, depth - begin, sizeof(*stack), tree_by_size, (void *)view);
	for (size_t i = begin, k = depth; i + 1 < k; i++, k--) {
		uint32_t other = stack[i];

		stack[i] = stack[k - 1];
		stack[k - 1] = other;
	}
	return depth;
}

static void order(struct tree_view *view)
{
	uint32_t *stack = view->sorted; /* of no more use, and large enough */
	size_t depth = tree_push(view, view->diff->node_count ? 0 : DIFF_NONE, stack, 0);

	while (depth > 0) {
		uint32_t node = stack[--depth];

		view->shown[view->shown_count++] = node;
		depth = tree_push(view, view->diff->nodes[node].first_child, stack, depth);
	}
}

/* What is in no region comes last, however few paths are shown. */
static void report_diff_tree_add_rests(struct tree_view *view, const bool *is_accepted)
{
	const struct diff *diff = view->diff;

	for (uint32_t i = diff->node_count; i < diff->node_count + diff->rest_count; i++)
		if (may_be_shown(view, i, is_accepted))
			view->shown[view->shown_count++] = i;
}

/* Paths are not tested one by one: where repeats tell something about noise, what decides is
 * whether they change by more than that. */
static enum diff_verdict tree_verdict_of(const struct tree_view *view, const struct diff_node *node)
{
	double before = diff_value_of(&node->value[DIFF_BEFORE], view->measure);
	double after = diff_value_of(&node->value[DIFF_AFTER], view->measure);

	if (node->value[DIFF_BEFORE].count <= 0 && node->value[DIFF_BEFORE].total_ns <= 0)
		return DIFF_ADDED;
	if (node->value[DIFF_AFTER].count <= 0 && node->value[DIFF_AFTER].total_ns <= 0)
		return DIFF_REMOVED;
	if (before == after)
		return DIFF_SAME;
	if (!diff_is_exact(view->diff, view->measure)) {
		if (!view->diff->has_repeats)
			return DIFF_UNDECIDED;
		if (fabs(diff_percent(before, after)) < view->diff->noise_percent)
			return DIFF_SAME;
	}
	return after > before ? DIFF_SLOWER : DIFF_FASTER;
}

static struct table_cell tree_text_cell(const char *text)
{
	return (struct table_cell){.is_missing = !text || !*text, .text = text};
}

static struct table_cell tree_number_cell(double number, bool is_known)
{
	return (struct table_cell){.is_missing = !is_known, .number = number};
}

/* A page that shows Markdown drops blanks. */
static struct table_cell tree_region_cell(struct tree_view *view, const struct diff_node *node)
{
	bool is_text = view->report->options.form == REPORT_TEXT;
	uint32_t indented = node->depth <= INDENT_DEPTHS ? node->depth : INDENT_DEPTHS;
	size_t length = 0;

	for (uint32_t i = 0; i < indented; i++)
		length += (size_t)snprintf(view->text + length, sizeof(view->text) - length,
					   is_text ? "  " : ". ");
	if (node->depth > INDENT_DEPTHS)
		length += (size_t)snprintf(view->text + length, sizeof(view->text) - length,
					   "[%u] ", node->depth);
	diff_region_text(&view->diff->regions[node->region], view->text + length,
			 sizeof(view->text) - length);
	return tree_text_cell(view->text);
}

static bool is_estimated(const struct diff_node *node, enum diff_side side)
{
	return node->count_low[side] < node->count_high[side];
}

static struct table_cell tree_people_cell(struct tree_view *view, const struct diff_node *node,
					  unsigned int column)
{
	const struct diff_value *before = &node->value[DIFF_BEFORE];
	const struct diff_value *after = &node->value[DIFF_AFTER];
	enum diff_verdict verdict = tree_verdict_of(view, node);
	double first = diff_value_of(before, view->measure) * 1e-9;
	double second = diff_value_of(after, view->measure) * 1e-9;

	switch (column) {
	case 0:
		return tree_number_cell(second - first, true);
	case 1:
		diff_change_text(node->value, view->measure, verdict, view->text);
		return tree_text_cell(view->text);
	case 2:
		return tree_number_cell(first, verdict != DIFF_ADDED);
	case 3:
		return tree_number_cell(second, verdict != DIFF_REMOVED);
	case 4:
		return (struct table_cell){.is_missing =
						   diff_is_rest(&view->diff->regions[node->region]),
					   .count = (uint64_t)(after->count + 0.5),
					   .is_about = is_estimated(node, DIFF_AFTER)};
	case 5:
		return (struct table_cell){
			.is_missing = after->count == before->count,
			.is_about =
				is_estimated(node, DIFF_BEFORE) || is_estimated(node, DIFF_AFTER),
			.number = after->count - before->count,
		};
	default:
		return tree_region_cell(view, node);
	}
}

static struct table_cell tree_program_cell(struct tree_view *view, const struct diff_node *node,
					   unsigned int column)
{
	const struct region *region = diff_region_shown(&view->diff->regions[node->region]);
	const struct diff_value *before = &node->value[DIFF_BEFORE];
	const struct diff_value *after = &node->value[DIFF_AFTER];
	const double numbers[] = {
		before->self_ns * 1e-9,
		after->self_ns * 1e-9,
		(after->self_ns - before->self_ns) * 1e-9,
		before->total_ns * 1e-9,
		after->total_ns * 1e-9,
		(after->total_ns - before->total_ns) * 1e-9,
		before->count,
		after->count,
		node->count_low[DIFF_BEFORE],
		node->count_high[DIFF_BEFORE],
		node->count_low[DIFF_AFTER],
		node->count_high[DIFF_AFTER],
	};

	switch (column) {
	case 0:
		return (struct table_cell){.count = node->depth};
	case 1:
		return tree_text_cell(diff_verdict_text(tree_verdict_of(view, node)));
	case 2:
		region_name(region, view->text, sizeof(view->text));
		return tree_text_cell(view->text);
	case 3:
		region_place(region, view->text, sizeof(view->text));
		return tree_text_cell(view->text);
	default:
		return tree_number_cell(numbers[column - 4], true);
	}
}

static struct table_cell diff_tree_cell(void *context, size_t row, unsigned int column)
{
	struct tree_view *view = context;
	const struct diff_node *node = &view->diff->nodes[view->shown[row]];

	return (view->is_for_people ? tree_people_cell : tree_program_cell)(view, node, column);
}

static enum table_tone tree_tone(void *context, const void *row)
{
	struct tree_view *view = context;
	const struct diff_node *node = &view->diff->nodes[*(const uint32_t *)row];

	return diff_tone(tree_verdict_of(view, node),
			 diff_value_of(&node->value[DIFF_BEFORE], view->measure),
			 diff_value_of(&node->value[DIFF_AFTER], view->measure));
}

static void tree_release(void *data)
{
	struct tree_view *view = data;

	if (!view)
		return;
	free(view->sorted);
	free(view->is_chosen);
	free(view->shown);
	free(view);
}

static bool tree_fill(struct tree_view *view, const struct name_filter *filter,
		      struct diff_view *out)
{
	size_t count = (size_t)view->diff->node_count + view->diff->rest_count + 1, paths;
	bool *is_accepted = accept_regions(view->diff, filter);

	view->sorted = calloc(count, sizeof(*view->sorted));
	view->is_chosen = calloc(count, sizeof(*view->is_chosen));
	view->shown = calloc(count, sizeof(*view->shown));
	if (!is_accepted || !view->sorted || !view->is_chosen || !view->shown) {
		free(is_accepted);
		return false;
	}
	out->more_count = diff_tree_choose(view, is_accepted);
	order(view);
	paths = view->shown_count;
	report_diff_tree_add_rests(view, is_accepted);
	free(is_accepted);
	out->rest_count = view->shown_count - paths;
	for (size_t i = 0; i < paths; i++)
		out->verdicts[tree_verdict_of(view, &view->diff->nodes[view->shown[i]])]++;
	return true;
}

enum kymo_status diff_view_tree(const struct diff_report *report, const struct name_filter *filter,
				struct diff_view *out)
{
	enum report_form form = report->options.form;
	struct tree_view *view = calloc(1, sizeof(*view));
	unsigned int program_count = COUNT_OF(program_columns);

	*out = (struct diff_view){.key = "paths", .data = view, .release = tree_release};
	if (!view)
		return KYMO_MEMORY;
	view->report = report;
	view->diff = report->diff;
	view->measure = diff_order_measure(report->options.order);
	view->is_for_people = report_form_is_for_people(form);
	if (!report->diff->has_estimated_counts)
		program_count -= INTERVAL_COLUMNS;
	if (!tree_fill(view, filter, out))
		return KYMO_MEMORY;
	out->table = (struct table){
		.columns = view->is_for_people ? tree_columns : program_columns,
		.column_count = view->is_for_people ? COUNT_OF(tree_columns) : program_count,
		TABLE_ROWS(view->shown, view->shown_count),
		.context = view,
		.cell = diff_tree_cell,
		.tone = tree_tone,
	};
	return KYMO_OK;
}
