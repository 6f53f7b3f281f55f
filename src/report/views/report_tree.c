/* The tree report: call paths with the largest first, the small ones left out.
 *
 * The rows are depth first already; the chosen ones are put under their parents again in the
 * selected order. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "command/xalloc.h"
#include "model/profile/name_filter.h"
#include "model/profile/rows_largest.h"
#include "model/profile/time_base.h"
#include "report/tables/table_path_time.h"
#include "report/tables/table_rows.h"
#include "report/tables/table_sort.h"
#include "report/views/report_text.h"

#define REST_MAX      2	 /* rows of time outside regions */
#define INDENT_DEPTHS 14 /* deeper rows show their depth as a number */

struct tree_view {
	struct path_times times;
	const struct rows *rows;
	uint32_t *parents;  /* per row */
	bool *is_chosen;    /* per row */
	struct row *shown;  /* in the order of the table; last time outside regions */
	size_t shown_count; /* without that */
	size_t chosen_count;
	size_t rest_count;
	struct time_base base;
};

static struct table_cell tree_percent(const struct table_item *item)
{
	const struct tree_view *view = item->view;

	return (struct table_cell){
		.number = time_base_percent(&view->base, ((const struct row *)item->row)->sum_ns)};
}

/* For people: time outside regions has no calls. */
static struct table_cell tree_people_calls(const struct table_item *item)
{
	const struct tree_view *view = item->view;
	const struct row *row = item->row;
	struct table_cell cell = table_get_row_calls(item);

	cell.is_missing = row->region == view->times.texts.regions->outside ||
			  row->region == view->times.texts.regions->measuring;
	return cell;
}

static struct table_cell tree_region(const struct table_item *item)
{
	struct region_texts *texts = item->view;
	const struct row *row = item->row;
	int length;

	if (row->depth <= INDENT_DEPTHS)
		length = snprintf(texts->text, sizeof(texts->text), "%*s", (int)row->depth * 2, "");
	else
		length = snprintf(texts->text, sizeof(texts->text), "%*s[%u] ", INDENT_DEPTHS * 2,
				  "", row->depth);
	report_region(table_region_of(item), texts->text + length,
		      REPORT_NAME_MAX - (size_t)length);
	return table_text(texts->text);
}

/* The parent among all rows. */
static struct table_cell tree_parent(const struct table_item *item)
{
	const struct tree_view *view = item->view;

	return (struct table_cell){
		.count = view->parents[(const struct row *)item->row - view->rows->rows]};
}

#define TREE_FIELD(member)  TABLE_FIELD(struct row, member)
#define TREE_REGION(getter) TABLE_REGION(getter, struct row, region)

static const struct table_column tree_columns[] = {
	{"% TOTAL", "total_percent", TABLE_PERCENT, TABLE_ALL, .get = tree_percent},
	PATH_TIME_COLUMN("TOTAL", "total", struct row, sum_ns),
	PATH_TIME_COLUMN("SELF", "self", struct row, self_ns),
	{"CALLS", "calls", TABLE_COUNT, TABLE_PEOPLE, .get = tree_people_calls},
	{"CALLS", "calls", TABLE_COUNT, TABLE_PROGRAMS, .get = table_get_row_calls},
	{"REGION", "name", TABLE_TEXT, TABLE_PEOPLE, TREE_REGION(tree_region)},
	{"REGION", "name", TABLE_TEXT, TABLE_PROGRAMS, TREE_REGION(table_get_name)},
	{"DEPTH", "depth", TABLE_ID, TABLE_PROGRAMS, TREE_FIELD(depth)},
	{"PLACE", "place", TABLE_TEXT, TABLE_PROGRAMS, TREE_REGION(table_get_location)},
	{"CALLS LOW", "calls_low", TABLE_COUNT, TABLE_PROGRAMS | TABLE_ESTIMATES,
	 .get = table_get_row_calls_low},
	{"CALLS HIGH", "calls_high", TABLE_COUNT, TABLE_PROGRAMS | TABLE_ESTIMATES,
	 .get = table_get_row_calls_high},
	PATH_BOUNDS_COLUMNS("TOTAL", "total", struct row, sum_ns),
	PATH_BOUNDS_COLUMNS("SELF", "self", struct row, self_ns),
	{"", "parent", TABLE_ID, TABLE_HIDDEN, .get = tree_parent},
	{"", "sibling", TABLE_TEXT, TABLE_HIDDEN, TREE_REGION(table_get_name)},
	{"", "min", TABLE_DURATION, TABLE_HIDDEN, TREE_FIELD(min_ns)},
	{"", "max", TABLE_DURATION, TABLE_HIDDEN, TREE_FIELD(max_ns)},
	{"", "mean", TABLE_DURATION, TABLE_HIDDEN, .get = table_get_row_mean},
};

/* All rows, to be sorted by order. */
static struct table tree_rows(struct tree_view *view, uint32_t *order)
{
	return (struct table){
		TABLE_COLUMNS(tree_columns),
		TABLE_ROWS(view->rows->rows, view->rows->count),
		.order = order,
		.view = view,
	};
}

/* A row is shown with all its ancestors. */
static void report_tree_choose(struct tree_view *view, uint32_t row)
{
	for (; row != ROWS_NO_PARENT && !view->is_chosen[row]; row = view->parents[row]) {
		view->is_chosen[row] = true;
		view->chosen_count++;
	}
}

/* The top rows by total time among those the filter accepts. */
static void choose_rows(struct tree_view *view, const struct name_filter *filter, uint64_t top)
{
	static const char *const keys[] = {"total", NULL};
	const struct rows *rows = view->rows;
	uint32_t *ranked = table_order_new(rows->count);
	struct table table = tree_rows(view, ranked);
	size_t count = 0;

	for (uint32_t i = 0; i < rows->count; i++) {
		if (name_filter_accepts(filter, rows->regions->regions[rows->rows[i].region]))
			ranked[count++] = i;
	}
	table_sort(&table, count, keys);
	for (size_t i = 0; i < count && (top == 0 || view->chosen_count < top); i++)
		report_tree_choose(view, ranked[i]);
}

static void choose_rest(struct tree_view *view, const struct name_filter *filter, uint32_t region,
			double ns)
{
	if (ns >= TIME_BASE_LEAST_NS &&
	    name_filter_accepts(filter, view->rows->regions->regions[region]))
		view->shown[view->shown_count + view->rest_count++] =
			(struct row){.region = region, .sum_ns = ns, .self_ns = ns};
}

struct sibling_list { /* chosen rows by parent */
	uint32_t *rows;
	uint32_t *begin; /* per parent row, start of its children */
	uint32_t *stack;
};

/* The children of one parent are adjacent; the first must be on top of the stack. */
static size_t push_children(const struct tree_view *view, const struct sibling_list *list,
			    uint32_t parent, size_t begin, size_t depth)
{
	size_t end = begin;

	while (end < view->chosen_count && view->parents[list->rows[end]] == parent)
		end++;
	while (end > begin)
		list->stack[depth++] = list->rows[--end];
	return depth;
}

static void show_rows(struct tree_view *view, const struct sibling_list *list)
{
	size_t depth, count = view->chosen_count, roots;

	for (size_t i = count; i-- > 0;) {
		if (view->parents[list->rows[i]] != ROWS_NO_PARENT)
			list->begin[view->parents[list->rows[i]]] = (uint32_t)i + 1;
	}
	/* ROWS_NO_PARENT is larger than every row. */
	for (roots = count; roots > 0 && view->parents[list->rows[roots - 1]] == ROWS_NO_PARENT;)
		roots--;
	depth = push_children(view, list, ROWS_NO_PARENT, roots, 0);
	while (depth > 0) {
		uint32_t row = list->stack[--depth];

		view->shown[view->shown_count++] = view->rows->rows[row];
		if (list->begin[row])
			depth = push_children(view, list, row, list->begin[row] - 1, depth);
	}
}

static void sort_siblings(struct tree_view *view, const struct sibling_list *list,
			  enum view_order order)
{
	bool is_by_name = order == ORDER_NAME;
	const char *const keys[] = {"parent", is_by_name ? "sibling" : report_order_key(order),
				    is_by_name ? "total" : NULL, NULL};
	struct table table = tree_rows(view, list->rows);
	size_t count = 0;

	for (uint32_t i = 0; i < view->rows->count; i++) {
		if (view->is_chosen[i])
			list->rows[count++] = i;
	}
	table_sort(&table, count, keys);
}

static void order_rows(struct tree_view *view, enum view_order order)
{
	size_t count = view->rows->count + 1;
	struct sibling_list list = {
		.rows = xcalloc(count, sizeof(*list.rows)),
		.begin = xcalloc(count, sizeof(*list.begin)),
		.stack = xcalloc(count, sizeof(*list.stack)),
	};

	sort_siblings(view, &list, order);
	show_rows(view, &list);
}

static void report_tree_write(const struct report *report, struct tree_view *view)
{
	bool is_text = report->options.form == REPORT_TEXT;
	struct table table = {
		TABLE_COLUMNS(tree_columns),
		.audience = (is_text ? TABLE_PEOPLE : TABLE_PROGRAMS) |
			    (view->rows->has_estimated_counts ? TABLE_ESTIMATES : 0) |
			    (view->times.errors.is_known ? TABLE_PATH_ERRORS : 0),
		TABLE_ROWS(view->shown, view->shown_count + view->rest_count),
		.view = view,
	};

	report_write_table(report, &table, "paths", true);
	report_remark_empty(report, table.row_count, view->rest_count, "region");
	if (view->rows->has_estimated_counts)
		report_write_remark(report, REPORT_CALLS_REMARK);
	if (view->times.errors.is_known)
		report_write_remark(report, POSITIONS_REMARK);
	if (!report->options.filter && view->shown_count < view->rows->count)
		report_write_remark(report, "%zu more call path%s; --top 0 shows all",
				    view->rows->count - view->shown_count,
				    view->rows->count - view->shown_count == 1 ? "" : "s");
}

static void view_rows(const struct report *report, struct tree_view *view,
		      const struct name_filter *filter)
{
	size_t count = view->rows->count + 1;

	view->parents = rows_parents_new(view->rows);
	xneed(view->parents != NULL);
	view->is_chosen = xcalloc(count, sizeof(*view->is_chosen));
	view->shown = xcalloc(count + REST_MAX, sizeof(*view->shown));
	choose_rows(view, filter, report->options.top);
	order_rows(view, report->options.order);
	choose_rest(view, filter, view->rows->regions->outside, view->base.outside_ns);
	choose_rest(view, filter, view->rows->regions->measuring, view->base.measuring_ns);
	report_tree_write(report, view);
	free(view->parents);
}

enum kymo_status report_tree(const struct report *report, struct problem *problem)
{
	struct rows_options options = {
		.merges_threads = true,
		.merges_processes = true,
		.thread = report->options.thread,
	};
	struct tree_view view = {
		.times.errors = path_errors_of(report->loaded->trees, report->loaded->tree_count,
					       report->options.thread),
		.base = time_base_of(report->loaded->trees, report->loaded->tree_count,
				     report->options.thread),
	};
	struct name_filter filter;
	struct rows *rows;
	enum kymo_status status = name_filter_init(&filter, report->options.filter, problem);

	if (status < 0)
		return status;
	xneed(rows_new(report->loaded->trees, report->loaded->tree_count, &options, &rows) ==
	      KYMO_OK);
	view.rows = rows;
	view.times.texts.regions = rows->regions;
	view_rows(report, &view, &filter);
	rows_free(rows);
	name_filter_release(&filter);
	return KYMO_OK;
}
