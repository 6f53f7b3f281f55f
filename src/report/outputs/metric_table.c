/* A metric as a table: label, count, depth and the metric's own columns. */
#include "report/outputs/metric_table.h"

#include <string.h>

#include "command/xalloc.h"
#include "model/profile/metric_view.h"
#include "report/tables/table_boxed.h"
#include "report/tables/table_csv.h"
#include "report/tables/table_get.h"
#include "report/tables/table_plain.h"
#include "report/tables/table_rows.h"
#include "text/cells.h"
#include "text/quantity.h"

#define CELL_LEAST 6 /* minimum width of a column */
#define OPEN_MARK  " *"

/* Properties of a metric that determine its columns. */
#define METRIC_UNIT   TABLE_HAS(0)
#define METRIC_SUM    TABLE_HAS(1) /* levels, as peak memory, have none */
#define METRIC_MEAN   TABLE_HAS(2)
#define METRIC_VISITS TABLE_HAS(3) /* each was measured */

struct metric_table {
	const struct metric_view *view;
	size_t indent_max;
	size_t label_limit; /* maximum width of a label, 0 = no limit */
	bool has_marks;	    /* mark open rows */
	char *label;
	size_t label_size;
	size_t value_row; /* row whose value is cached */
	struct metric_value value;
};

/* Reserve up to half of the width for the name in deep paths, taken from the indentation. */
static void table_reserve(const struct metric_table *table)
{
	char *indent = strstr(table->label, ROW_PREFIX_END) + strlen(ROW_PREFIX_END);
	size_t blanks = strspn(indent, " "), least = table->label_limit / 2;
	size_t cells = cells_of(table->label), cut;

	if (!table->label_limit || cells <= table->label_limit || blanks <= least)
		return;
	cut = cells - table->label_limit;
	if (cut > blanks - least)
		cut = blanks - least;
	memmove(indent, indent + cut, strlen(indent + cut) + 1);
}

static const char *label_of(struct metric_table *table, size_t row)
{
	const struct rows *rows = table->view->rows;
	size_t length = row_label(rows, row, table->indent_max, table->label,
				  table->label_size - sizeof(OPEN_MARK));

	if (table->has_marks && rows->rows[row].is_open)
		memcpy(table->label + length, OPEN_MARK, sizeof(OPEN_MARK));
	table_reserve(table);
	return table->label;
}

static size_t metric_row(const struct table_item *item)
{
	const struct metric_table *table = item->view;

	return (size_t)((const struct row *)item->row - table->view->rows->rows);
}

static struct table_cell metric_label(const struct table_item *item)
{
	return table_text(label_of(item->view, metric_row(item)));
}

static struct table_cell metric_name(const struct table_item *item)
{
	return table_text(((const struct metric_table *)item->view)->view->info->name);
}

static struct table_cell metric_unit(const struct table_item *item)
{
	return table_text(((const struct metric_table *)item->view)->view->unit);
}

static const struct metric_value *metric_value_of(const struct table_item *item)
{
	struct metric_table *table = item->view;
	size_t row = metric_row(item);

	if (table->value_row != row) {
		metric_view_value(table->view, row, &table->value);
		table->value_row = row;
	}
	return &table->value;
}

/* A member of the row's value, if that has a sum or visits. */
static struct table_cell metric_number(const struct table_item *item)
{
	const struct metric_value *value = metric_value_of(item);
	const char *member = (const char *)value + item->column->at;
	bool is_of_visits = item->column->audience & METRIC_VISITS;

	return (struct table_cell){
		.is_missing = is_of_visits ? !value->has_visits : !value->has_sum,
		.number = *(const double *)(const void *)member,
	};
}

#define METRIC_NUMBER(member) TABLE_MEMBER(metric_number, struct metric_value, member)
#define METRIC_PER_VISIT      TABLE_NUMBER, TABLE_ALL | METRIC_MEAN | METRIC_VISITS

/* Averages have the same decimals as whole numbers: none. */
static const struct table_column columns[] = {
	{"LABEL", "label", TABLE_TEXT, TABLE_ALL, .get = metric_label},
	{"COUNT", "count", TABLE_COUNT, TABLE_ALL, .get = table_get_row_calls},
	{"DEPTH", "depth", TABLE_COUNT, TABLE_ALL, TABLE_FIELD(struct row, depth)},
	{"METRIC", "metric", TABLE_TEXT, TABLE_ALL, .get = metric_name},
	{"UNITS", "units", TABLE_TEXT, TABLE_ALL | METRIC_UNIT, .get = metric_unit},
	{"SUM", "sum", TABLE_NUMBER, TABLE_ALL | METRIC_SUM, METRIC_NUMBER(sum)},
	{"MEAN", "mean", TABLE_NUMBER, TABLE_ALL | METRIC_MEAN, METRIC_NUMBER(mean),
	 .precision = 3},
	{"MIN", "min", METRIC_PER_VISIT, METRIC_NUMBER(min)},
	{"MAX", "max", METRIC_PER_VISIT, METRIC_NUMBER(max)},
	{"VAR", "var", METRIC_PER_VISIT, METRIC_NUMBER(variance), .precision = 3},
	{"STDDEV", "stddev", METRIC_PER_VISIT, METRIC_NUMBER(deviation), .precision = 3},
	{"% SELF", "self_percent", TABLE_PERCENT, TABLE_ALL | METRIC_MEAN | METRIC_SUM,
	 METRIC_NUMBER(self_percent)},
	{"COUNT LOW", "count_low", TABLE_COUNT, TABLE_ALL | TABLE_ESTIMATES,
	 .get = table_get_row_calls_low},
	{"COUNT HIGH", "count_high", TABLE_COUNT, TABLE_ALL | TABLE_ESTIMATES,
	 .get = table_get_row_calls_high},
};
#define METRIC_COLUMNS (sizeof(columns) / sizeof(*columns))

static unsigned int metric_audience(const struct metric_view *view)
{
	bool is_derived = view->source == METRIC_DERIVED;
	bool has_mean = view->source != METRIC_FROM_COUNT;

	return TABLE_PEOPLE | (*view->unit ? METRIC_UNIT : 0) |
	       (view->info->is_accumulated || is_derived ? METRIC_SUM : 0) |
	       (has_mean ? METRIC_MEAN : 0) |
	       (has_mean && !is_derived && !view->is_sampled ? METRIC_VISITS : 0) |
	       (view->rows->has_estimated_counts ? TABLE_ESTIMATES : 0);
}

/* The columns with the metric's own decimals and width. */
static void metric_columns(const struct metric_view *view, struct table_column own[METRIC_COLUMNS])
{
	bool is_whole = view->precision == 0 && !*view->unit;

	for (size_t i = 0; i < METRIC_COLUMNS; i++) {
		own[i] = columns[i];
		own[i].width = CELL_LEAST;
		if (own[i].kind != TABLE_NUMBER)
			continue;
		own[i].is_scientific = view->is_scientific;
		if (!is_whole)
			own[i].precision = view->precision;
		if (own[i].width < view->width)
			own[i].width = view->width;
	}
}

static size_t deepest_indent(const struct rows *rows)
{
	size_t depth = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (depth < rows->rows[i].depth)
			depth = rows->rows[i].depth;
	}
	return depth ? 2 * (depth - 1) : 0;
}

static void table_init(struct metric_table *table, const struct metric_view *view,
		       unsigned int label_limit)
{
	*table = (struct metric_table){
		.view = view, .label_limit = label_limit, .value_row = SIZE_MAX};
	table->indent_max = deepest_indent(view->rows);
	if (table->indent_max > ROW_INDENT_MAX)
		table->indent_max = ROW_INDENT_MAX;
	if (label_limit && table->indent_max > label_limit)
		table->indent_max = label_limit;
	table->label_size = table->indent_max + ROW_NAME_MAX + sizeof(OPEN_MARK);
	table->label = xmalloc(table->label_size);
}

#define SAMPLED_BANNER ", SAMPLED: COUNTS ARE EXACT, TIMES ARE ESTIMATES"
#define BANNER_MAX     256

static const char *metric_banner(const struct metric_view *view, char text[BANNER_MAX])
{
	snprintf(text, BANNER_MAX, "%s%s", view->info->description,
		 view->is_sampled ? SAMPLED_BANNER : "");
	return text;
}

static void write_open_note(const struct metric_view *view, FILE *out)
{
	fprintf(out, "* open when the recording ended%s\n",
		view->source == METRIC_FROM_ROW ? "; time counts up to then" : "");
}

/* The last line of a table from which rows were left out. */
static void table_write_left_out(const struct metric_view *view, FILE *out)
{
	const struct rows *rows = view->rows;
	char some[QUANTITY_MAX], all[QUANTITY_MAX], percent[QUANTITY_MAX];

	fprintf(out,
		"%s of %s call paths are left out, with %s of the time in their own lines; "
		"'kymo report --metric %s RUN' shows them, '" METRIC_WHOLE "' writes them\n",
		quantity_count(rows->left_out, some),
		quantity_count(rows->count + rows->left_out, all),
		quantity_percent(rows->left_out_percent, percent), view->info->name);
}

void metric_write_table(const struct metric_view *view, enum metric_form form,
			unsigned int label_limit, FILE *out)
{
	struct table_column own[METRIC_COLUMNS];
	struct metric_table context;
	char banner[BANNER_MAX];
	struct table table = {
		TABLE_COLUMNS(own),
		.audience = metric_audience(view),
		TABLE_ROWS(view->rows->rows, view->rows->count),
		.view = &context,
	};

	table_init(&context, view, label_limit);
	metric_columns(view, own);
	switch (form) {
	case METRIC_BOXED:
		context.has_marks = view->rows->has_open;
		table_write_boxed(&table, metric_banner(view, banner), label_limit, out);
		if (context.has_marks)
			write_open_note(view, out);
		if (view->rows->left_out)
			table_write_left_out(view, out);
		break;
	case METRIC_CSV:
		table_write_csv(&table, out);
		break;
	case METRIC_MARKDOWN:
		table_write_markdown(&table, out);
		break;
	}
	xfree(context.label);
}
