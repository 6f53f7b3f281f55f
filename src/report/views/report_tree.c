/* The tree report: call paths with the largest first, the small ones left out.
 *
 * The rows are depth first already; what is chosen of them is put under its parents again
 * in the order asked for. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "model/profile/name_filter.h"
#include "model/profile/time_base.h"
#include "report/views/report_text.h"

#define NO_ROW	      UINT32_MAX
#define INDENT_DEPTHS 14 /* deeper rows carry their depth as a number */

static const struct table_column tree_columns[] = {
	{"% TOTAL", "total_percent", TABLE_PERCENT, 1, 0, false},
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"REGION", "name", TABLE_TEXT, 0, 0, false},
	/* Only where a program reads the table: */
	{"DEPTH", "depth", TABLE_ID, 0, 0, false},
	{"PLACE", "place", TABLE_TEXT, 0, 0, false},
	/* Only where calls are estimates: */
	{"CALLS LOW", "calls_low", TABLE_COUNT, 0, 0, false},
	{"CALLS HIGH", "calls_high", TABLE_COUNT, 0, 0, false},
};

#define PEOPLE_COLUMNS	5
#define PROGRAM_COLUMNS 7
#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

struct tree_view {
	const struct rows *rows;
	enum view_order order;
	uint32_t *parents; /* per row */
	bool *is_chosen;   /* per row */
	uint32_t *shown;   /* rows in the order of the table */
	size_t shown_count, chosen_count;
	struct time_base base;
	/* Below these: what is in no region. */
	struct rest_row {
		uint32_t region;
		double ns;
	} rest[2];
	size_t rest_count;
	bool is_for_people;
	char text[REPORT_NAME_MAX];
};

/* The last row seen at every depth is the parent of what follows below it. */
static bool find_parents(struct tree_view *view)
{
	const struct rows *rows = view->rows;
	uint32_t *last = calloc(rows->count + 1, sizeof(*last));

	if (!last)
		return false;
	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t depth = rows->rows[i].depth;

		view->parents[i] = depth ? last[depth - 1] : NO_ROW;
		last[depth] = i;
	}
	free(last);
	return true;
}

/* A row is shown with all rows above it. */
static void report_tree_choose(struct tree_view *view, uint32_t row)
{
	for (; row != NO_ROW && !view->is_chosen[row]; row = view->parents[row]) {
		view->is_chosen[row] = true;
		view->chosen_count++;
	}
}

static int tree_by_total(const void *left, const void *right, void *context)
{
	const struct rows *rows = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	double first = rows->rows[a].sum_ns, second = rows->rows[b].sum_ns;

	if (first != second)
		return first < second ? 1 : -1;
	return a < b ? -1 : 1;
}

/* The top rows by total time among those the filter accepts. */
static bool choose_rows(struct tree_view *view, const struct name_filter *filter, uint64_t top)
{
	const struct rows *rows = view->rows;
	uint32_t *ranked = calloc(rows->count + 1, sizeof(*ranked));
	size_t count = 0;

	if (!ranked)
		return false;
	for (uint32_t i = 0; i < rows->count; i++) {
		if (name_filter_accepts(filter, rows->regions->regions[rows->rows[i].region]))
			ranked[count++] = i;
	}
	qsort_r(ranked, count, sizeof(*ranked), tree_by_total, (void *)rows);
	for (size_t i = 0; i < count && (top == 0 || view->chosen_count < top); i++)
		report_tree_choose(view, ranked[i]);
	free(ranked);
	return true;
}

static void choose_rest(struct tree_view *view, const struct name_filter *filter, uint32_t region,
			double ns)
{
	if (ns >= TIME_BASE_LEAST_NS &&
	    name_filter_accepts(filter, view->rows->regions->regions[region]))
		view->rest[view->rest_count++] = (struct rest_row){region, ns};
}

static double tree_order_key(const struct row *row, enum view_order order)
{
	switch (order) {
	case ORDER_TOTAL:
	case ORDER_NAME:
		return row->sum_ns;
	case ORDER_SELF:
		return row->self_ns;
	case ORDER_CALLS:
		return (double)row->count;
	case ORDER_MIN:
		return row->min_ns;
	case ORDER_MAX:
		return row->max_ns;
	case ORDER_MEAN:
		return row->count ? row->sum_ns / (double)row->count : 0;
	}
	return 0;
}

static int compare_names(const struct tree_view *view, uint32_t a, uint32_t b)
{
	const struct rows *rows = view->rows;
	char name[256], other[256];

	region_name(rows->regions->regions[rows->rows[a].region], name, sizeof(name));
	region_name(rows->regions->regions[rows->rows[b].region], other, sizeof(other));
	return strcmp(name, other);
}

/* Children of one parent lie together, the first to be shown last, since they are taken
 * from a stack. */
static int by_parent(const void *left, const void *right, void *context)
{
	const struct tree_view *view = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	double first = tree_order_key(&view->rows->rows[a], view->order);
	double second = tree_order_key(&view->rows->rows[b], view->order);
	int names;

	if (view->parents[a] != view->parents[b])
		return view->parents[a] < view->parents[b] ? -1 : 1;
	if (view->order == ORDER_NAME && (names = compare_names(view, a, b)) != 0)
		return -names;
	if (first != second)
		return first < second ? -1 : 1;
	return a < b ? 1 : -1;
}

struct sibling_list { /* chosen rows by parent */
	uint32_t *rows;
	uint32_t *begin; /* per parent row, where its children begin */
	uint32_t *stack;
};

static size_t push_children(const struct tree_view *view, const struct sibling_list *list,
			    uint32_t parent, size_t begin, size_t depth)
{
	for (size_t i = begin; i < view->chosen_count; i++) {
		if (view->parents[list->rows[i]] != parent)
			break;
		list->stack[depth++] = list->rows[i];
	}
	return depth;
}

static void show_rows(struct tree_view *view, const struct sibling_list *list)
{
	size_t depth, count = 0, roots;

	for (uint32_t i = 0; i < view->rows->count; i++) {
		if (view->is_chosen[i])
			list->rows[count++] = i;
	}
	qsort_r(list->rows, count, sizeof(*list->rows), by_parent, view);
	for (size_t i = count; i-- > 0;) {
		if (view->parents[list->rows[i]] != NO_ROW)
			list->begin[view->parents[list->rows[i]]] = (uint32_t)i + 1;
	}
	/* NO_ROW sorts behind every row. */
	for (roots = count; roots > 0 && view->parents[list->rows[roots - 1]] == NO_ROW;)
		roots--;
	depth = push_children(view, list, NO_ROW, roots, 0);
	while (depth > 0) {
		uint32_t row = list->stack[--depth];

		view->shown[view->shown_count++] = row;
		if (list->begin[row])
			depth = push_children(view, list, row, list->begin[row] - 1, depth);
	}
}

static bool order_rows(struct tree_view *view)
{
	size_t count = view->rows->count + 1;
	struct sibling_list list = {
		.rows = calloc(count, sizeof(*list.rows)),
		.begin = calloc(count, sizeof(*list.begin)),
		.stack = calloc(count, sizeof(*list.stack)),
	};
	bool is_complete = list.rows && list.begin && list.stack;

	if (is_complete)
		show_rows(view, &list);
	free(list.rows);
	free(list.begin);
	free(list.stack);
	return is_complete;
}

static const char *tree_name_of(struct tree_view *view, const struct row *row)
{
	const struct region *region = view->rows->regions->regions[row->region];
	size_t length = 0;

	if (!view->is_for_people) {
		region_name(region, view->text, sizeof(view->text));
		return view->text;
	}
	if (row->depth <= INDENT_DEPTHS)
		length = (size_t)snprintf(view->text, sizeof(view->text), "%*s",
					  (int)row->depth * 2, "");
	else
		length = (size_t)snprintf(view->text, sizeof(view->text), "%*s[%u] ",
					  INDENT_DEPTHS * 2, "", row->depth);
	report_region(region, view->text + length, sizeof(view->text) - length);
	return view->text;
}

static struct table_cell tree_place_cell(struct tree_view *view, const struct row *row)
{
	return report_place_cell(view->rows->regions->regions[row->region], view->text);
}

static struct table_cell rest_cell(struct tree_view *view, const struct rest_row *rest,
				   unsigned int column)
{
	switch (column) {
	case 0:
		return (struct table_cell){.number = time_base_percent(&view->base, rest->ns)};
	case 1:
	case 2:
		return (struct table_cell){.number = rest->ns * 1e-9};
	case 4:
		return (struct table_cell){
			.text = view->rows->regions->regions[rest->region]->name};
	case 6:
		return (struct table_cell){.is_missing = true};
	default:
		return (struct table_cell){.is_missing = column == 3 && view->is_for_people};
	}
}

static struct table_cell report_tree_cell(void *context, size_t index, unsigned int column)
{
	struct tree_view *view = context;
	const struct row *row;

	if (index >= view->shown_count)
		return rest_cell(view, &view->rest[index - view->shown_count], column);
	row = &view->rows->rows[view->shown[index]];
	switch (column) {
	case 0:
		return (struct table_cell){.number = time_base_percent(&view->base, row->sum_ns)};
	case 1:
		return (struct table_cell){.number = row->sum_ns * 1e-9};
	case 2:
		return (struct table_cell){.number = row->self_ns * 1e-9};
	case 3:
		return (struct table_cell){.count = row->count,
					   .is_about = row->is_count_estimated};
	case 4:
		return (struct table_cell){.text = tree_name_of(view, row)};
	case 5:
		return (struct table_cell){.count = row->depth};
	case 6:
		return tree_place_cell(view, row);
	case 7:
		return (struct table_cell){.count = call_count_of(row).low};
	default:
		return (struct table_cell){.count = call_count_of(row).high};
	}
}

static void report_tree_write(const struct report *report, struct tree_view *view)
{
	struct table table = {
		.columns = tree_columns,
		.column_count = view->is_for_people		   ? PEOPLE_COLUMNS
				: view->rows->has_estimated_counts ? COUNT_OF(tree_columns)
								   : PROGRAM_COLUMNS,
		.row_count = view->shown_count + view->rest_count,
		.context = view,
		.cell = report_tree_cell,
	};

	report_write_table(report, &table, "paths", true);
	report_remark_empty(report, table.row_count, view->rest_count, "region");
	if (view->rows->has_estimated_counts)
		report_write_remark(report, REPORT_CALLS_REMARK);
	if (!report->options.filter && view->shown_count < view->rows->count)
		report_write_remark(report, "%zu more call path%s; --top 0 shows all",
				    view->rows->count - view->shown_count,
				    view->rows->count - view->shown_count == 1 ? "" : "s");
}

static bool view_rows(const struct report *report, struct tree_view *view,
		      const struct name_filter *filter)
{
	size_t count = view->rows->count + 1;
	bool is_complete;

	view->parents = calloc(count, sizeof(*view->parents));
	view->is_chosen = calloc(count, sizeof(*view->is_chosen));
	view->shown = calloc(count, sizeof(*view->shown));
	is_complete = view->parents && view->is_chosen && view->shown && find_parents(view) &&
		      choose_rows(view, filter, report->options.top) && order_rows(view);
	choose_rest(view, filter, view->rows->regions->outside, view->base.outside_ns);
	choose_rest(view, filter, view->rows->regions->measuring, view->base.measuring_ns);
	if (is_complete)
		report_tree_write(report, view);
	free(view->parents);
	free(view->is_chosen);
	free(view->shown);
	return is_complete;
}

enum kymo_status report_tree(const struct report *report, struct problem *problem)
{
	struct rows_options options = {
		.merges_threads = true,
		.merges_processes = true,
		.thread = report->options.thread,
	};
	struct tree_view view = {
		.order = report->options.order,
		.is_for_people = report->options.form == REPORT_TEXT,
		.base = time_base_of(report->loaded->trees, report->loaded->tree_count,
				     report->options.thread),
	};
	struct name_filter filter;
	struct rows *rows = NULL;
	enum kymo_status status = name_filter_init(&filter, report->options.filter, problem);

	if (status < 0)
		return status;
	status = rows_new(report->loaded->trees, report->loaded->tree_count, &options, &rows);
	view.rows = rows;
	if (status < 0 || !view_rows(report, &view, &filter))
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	rows_free(rows);
	name_filter_release(&filter);
	return status;
}
