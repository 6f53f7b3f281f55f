/* The columns of the table of call paths that differ. */
#include "report/diff/diff_tree_columns.h"

#include <math.h>

#include "report/diff/report_diff_text.h"

#define INDENT_DEPTHS 14 /* deeper rows show their depth as a number */

/* Paths are not tested individually: with repeats, a path differs if its change exceeds the
 * noise. */
enum diff_verdict diff_tree_verdict(const struct diff_tree_view *view, const struct diff_node *node)
{
	double before = diff_value_of(&node->value[DIFF_BEFORE], view->texts.measure);
	double after = diff_value_of(&node->value[DIFF_AFTER], view->texts.measure);

	if (node->value[DIFF_BEFORE].count <= 0 && node->value[DIFF_BEFORE].total_ns <= 0)
		return DIFF_ADDED;
	if (node->value[DIFF_AFTER].count <= 0 && node->value[DIFF_AFTER].total_ns <= 0)
		return DIFF_REMOVED;
	if (before == after)
		return DIFF_SAME;
	if (!diff_is_exact(view->diff, view->texts.measure)) {
		if (!view->diff->has_repeats)
			return DIFF_UNDECIDED;
		if (fabs(diff_percent(before, after)) < view->diff->noise_percent)
			return DIFF_SAME;
	}
	return after > before ? DIFF_SLOWER : DIFF_FASTER;
}

static const struct diff_region *tree_region_of(const struct table_item *item)
{
	const struct diff_tree_view *view = item->view;

	return &view->diff->regions[((const struct diff_node *)item->row)->region];
}

static struct table_cell tree_change(const struct table_item *item)
{
	struct diff_tree_view *view = item->view;
	const struct diff_node *node = item->row;

	diff_change_text(node->value, view->texts.measure, diff_tree_verdict(view, node),
			 view->texts.text);
	return diff_text_cell(view->texts.text);
}

static struct table_cell tree_before(const struct table_item *item)
{
	struct table_cell cell = diff_get_before(item);

	cell.is_missing = diff_tree_verdict(item->view, item->row) == DIFF_ADDED;
	return cell;
}

static struct table_cell tree_after(const struct table_item *item)
{
	struct table_cell cell = diff_get_after(item);

	cell.is_missing = diff_tree_verdict(item->view, item->row) == DIFF_REMOVED;
	return cell;
}

static bool tree_is_estimated(const struct diff_node *node, enum diff_side side)
{
	return node->count_low[side] < node->count_high[side];
}

static struct table_cell tree_calls(const struct table_item *item)
{
	const struct diff_node *node = item->row;

	return (struct table_cell){.is_missing = diff_is_rest(tree_region_of(item)),
				   .count = (uint64_t)(node->value[DIFF_AFTER].count + 0.5),
				   .is_about = tree_is_estimated(node, DIFF_AFTER)};
}

static struct table_cell tree_more(const struct table_item *item)
{
	const struct diff_node *node = item->row;
	struct table_cell cell = diff_get_more(item);

	cell.is_about = tree_is_estimated(node, DIFF_BEFORE) || tree_is_estimated(node, DIFF_AFTER);
	return cell;
}

/* Markdown drops leading blanks. */
static struct table_cell diff_tree_region(const struct table_item *item)
{
	struct diff_tree_view *view = item->view;
	uint32_t depth = ((const struct diff_node *)item->row)->depth;
	bool is_text = view->report->options.form == REPORT_TEXT;
	uint32_t indented = depth <= INDENT_DEPTHS ? depth : INDENT_DEPTHS;
	char *text = view->texts.text;
	size_t length = 0, size = sizeof(view->texts.text);

	for (uint32_t i = 0; i < indented; i++)
		length += (size_t)snprintf(text + length, size - length, is_text ? "  " : ". ");
	if (depth > INDENT_DEPTHS)
		length += (size_t)snprintf(text + length, size - length, "[%u] ", depth);
	diff_region_text(tree_region_of(item), text + length, size - length);
	return diff_text_cell(text);
}

static struct table_cell tree_status(const struct table_item *item)
{
	return diff_text_cell(diff_verdict_text(diff_tree_verdict(item->view, item->row)));
}

static struct table_cell tree_name(const struct table_item *item)
{
	struct diff_tree_view *view = item->view;

	region_name(diff_region_shown(tree_region_of(item)), view->texts.text,
		    sizeof(view->texts.text));
	return diff_text_cell(view->texts.text);
}

static struct table_cell tree_place(const struct table_item *item)
{
	struct diff_tree_view *view = item->view;

	region_location(diff_region_shown(tree_region_of(item)), view->texts.text,
			sizeof(view->texts.text));
	return diff_text_cell(view->texts.text);
}

#define TREE_OF(getter)		 DIFF_VALUES(getter, struct diff_node)
#define TREE_VALUE(side, member) TABLE_FIELD(struct diff_node, value[side].member)
#define TREE_DIFF(member)	 DIFF_MEMBER(diff_get_difference, struct diff_node, member)
#define TREE_END(member)                                                                           \
	TABLE_NUMBER, TABLE_PROGRAMS | TABLE_ESTIMATES, TABLE_FIELD(struct diff_node, member)

static const struct table_column columns[] = {
	{"DIFF", "difference", TABLE_CHANGE, TABLE_PEOPLE, TREE_OF(diff_get_change)},
	{"   CHANGE", "change", TABLE_TEXT, TABLE_PEOPLE, .get = tree_change},
	{"BEFORE", "before", TABLE_DURATION, TABLE_PEOPLE, TREE_OF(tree_before)},
	{"AFTER", "after", TABLE_DURATION, TABLE_PEOPLE, TREE_OF(tree_after)},
	{"CALLS", "calls", TABLE_COUNT, TABLE_PEOPLE, .get = tree_calls},
	{"MORE", "more_calls", TABLE_CHANGE_NUMBER, TABLE_PEOPLE, TREE_OF(tree_more)},
	{"REGION", "region", TABLE_TEXT, TABLE_PEOPLE, .get = diff_tree_region},
	{"DEPTH", "depth", TABLE_ID, TABLE_PROGRAMS, TABLE_FIELD(struct diff_node, depth)},
	{"STATUS", "status", TABLE_TEXT, TABLE_PROGRAMS, .get = tree_status},
	{"NAME", "name", TABLE_TEXT, TABLE_PROGRAMS, .get = tree_name},
	{"PLACE", "place", TABLE_TEXT, TABLE_PROGRAMS, .get = tree_place},
	{"SELF BEFORE", "self_before", TABLE_DURATION, TABLE_PROGRAMS,
	 TREE_VALUE(DIFF_BEFORE, self_ns)},
	{"SELF AFTER", "self_after", TABLE_DURATION, TABLE_PROGRAMS,
	 TREE_VALUE(DIFF_AFTER, self_ns)},
	{"SELF DIFF", "self_difference", TABLE_CHANGE, TABLE_PROGRAMS, TREE_DIFF(self_ns)},
	{"TOTAL BEFORE", "total_before", TABLE_DURATION, TABLE_PROGRAMS,
	 TREE_VALUE(DIFF_BEFORE, total_ns)},
	{"TOTAL AFTER", "total_after", TABLE_DURATION, TABLE_PROGRAMS,
	 TREE_VALUE(DIFF_AFTER, total_ns)},
	{"TOTAL DIFF", "total_difference", TABLE_CHANGE, TABLE_PROGRAMS, TREE_DIFF(total_ns)},
	{"CALLS BEFORE", "calls_before", TABLE_NUMBER, TABLE_PROGRAMS,
	 TREE_VALUE(DIFF_BEFORE, count)},
	{"CALLS AFTER", "calls_after", TABLE_NUMBER, TABLE_PROGRAMS, TREE_VALUE(DIFF_AFTER, count)},
	{"CALLS BEFORE LOW", "calls_before_low", TREE_END(count_low[DIFF_BEFORE])},
	{"CALLS BEFORE HIGH", "calls_before_high", TREE_END(count_high[DIFF_BEFORE])},
	{"CALLS AFTER LOW", "calls_after_low", TREE_END(count_low[DIFF_AFTER])},
	{"CALLS AFTER HIGH", "calls_after_high", TREE_END(count_high[DIFF_AFTER])},
	DIFF_ORDER_COLUMNS(struct diff_node),
};

struct table diff_tree_table(struct diff_tree_view *view, uint32_t *nodes, size_t count)
{
	return (struct table){
		TABLE_COLUMNS(columns),
		TABLE_ROWS(view->diff->nodes, count),
		.order = nodes,
		.view = view,
	};
}
