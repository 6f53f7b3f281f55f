/* A metric as a table: label, count, depth and the metric's own columns. */
#include "report/outputs/metric_table.h"

#include <stdlib.h>
#include <string.h>

#include "model/profile/metric_view.h"
#include "report/tables/table.h"
#include "report/tables/table_boxed.h"
#include "report/tables/table_csv.h"
#include "report/tables/table_plain.h"
#include "text/cells.h"
#include "text/quantity.h"

#define CELL_LEAST  6 /* no column of these tables is narrower */
#define COLUMNS_MAX 14
#define OPEN_MARK   " *"

enum column_id {
	COLUMN_LABEL,
	COLUMN_COUNT,
	COLUMN_DEPTH,
	COLUMN_METRIC,
	COLUMN_UNITS,
	COLUMN_SUM,
	COLUMN_MEAN,
	COLUMN_MIN,
	COLUMN_MAX,
	COLUMN_VARIANCE,
	COLUMN_DEVIATION,
	COLUMN_SELF,
	/* Only where counts are estimates: */
	COLUMN_COUNT_LOW,
	COLUMN_COUNT_HIGH,
};

static const struct table_column column_forms[] = {
	[COLUMN_LABEL] = {"LABEL", "label", TABLE_TEXT, TABLE_ALL, .get = NULL,
			  .width = CELL_LEAST},
	[COLUMN_COUNT] = {"COUNT", "count", TABLE_COUNT, TABLE_ALL, .get = NULL,
			  .width = CELL_LEAST},
	[COLUMN_DEPTH] = {"DEPTH", "depth", TABLE_COUNT, TABLE_ALL, .get = NULL,
			  .width = CELL_LEAST},
	[COLUMN_METRIC] = {"METRIC", "metric", TABLE_TEXT, TABLE_ALL, .get = NULL,
			   .width = CELL_LEAST},
	[COLUMN_UNITS] = {"UNITS", "units", TABLE_TEXT, TABLE_ALL, .get = NULL,
			  .width = CELL_LEAST},
	[COLUMN_SUM] = {"SUM", "sum", TABLE_NUMBER, TABLE_ALL, .get = NULL, .width = CELL_LEAST},
	[COLUMN_MEAN] = {"MEAN", "mean", TABLE_NUMBER, TABLE_ALL, .get = NULL, .width = CELL_LEAST},
	[COLUMN_MIN] = {"MIN", "min", TABLE_NUMBER, TABLE_ALL, .get = NULL, .width = CELL_LEAST},
	[COLUMN_MAX] = {"MAX", "max", TABLE_NUMBER, TABLE_ALL, .get = NULL, .width = CELL_LEAST},
	[COLUMN_VARIANCE] = {"VAR", "var", TABLE_NUMBER, TABLE_ALL, .get = NULL,
			     .width = CELL_LEAST},
	[COLUMN_DEVIATION] = {"STDDEV", "stddev", TABLE_NUMBER, TABLE_ALL, .get = NULL,
			      .width = CELL_LEAST},
	[COLUMN_SELF] = {"% SELF", "self_percent", TABLE_PERCENT, TABLE_ALL, .get = NULL,
			 .width = CELL_LEAST},
	[COLUMN_COUNT_LOW] = {"COUNT LOW", "count_low", TABLE_COUNT, TABLE_ALL, .get = NULL,
			      .width = CELL_LEAST},
	[COLUMN_COUNT_HIGH] = {"COUNT HIGH", "count_high", TABLE_COUNT, TABLE_ALL, .get = NULL,
			       .width = CELL_LEAST},
};

struct metric_table {
	struct table table;
	const struct metric_view *view;
	struct table_column columns[COLUMNS_MAX];
	enum column_id ids[COLUMNS_MAX];
	size_t indent_max;
	size_t label_limit; /* columns of a label, 0 = as many as it has */
	bool has_marks;	    /* open rows are marked */
	char *label;
	size_t label_size;
	size_t value_row; /* row whose value is held */
	struct metric_value value;
};

static void add_column(struct metric_table *table, enum column_id id)
{
	const struct metric_view *view = table->view;
	struct table_column *column = &table->columns[table->table.column_count];

	*column = column_forms[id];
	if (column->kind == TABLE_NUMBER) {
		bool is_average =
			id == COLUMN_MEAN || id == COLUMN_VARIANCE || id == COLUMN_DEVIATION;

		column->is_scientific = view->is_scientific;
		column->precision = view->precision;
		/* The average of whole numbers is none. */
		if (is_average && view->precision == 0 && !*view->unit)
			column->precision = 3;
		if (column->width < view->width)
			column->width = view->width;
	}
	table->ids[table->table.column_count++] = id;
}

static void add_value_columns(struct metric_table *table)
{
	const struct metric_view *view = table->view;

	add_column(table, COLUMN_LABEL);
	add_column(table, COLUMN_COUNT);
	add_column(table, COLUMN_DEPTH);
	add_column(table, COLUMN_METRIC);
	if (*view->unit)
		add_column(table, COLUMN_UNITS);
	/* A level, as peak memory, has no sum. */
	if (view->info->is_accumulated || view->source == METRIC_DERIVED)
		add_column(table, COLUMN_SUM);
	if (view->source == METRIC_FROM_COUNT)
		return;
	for (enum column_id id = COLUMN_MEAN; id <= COLUMN_DEVIATION; id++) {
		if (id == COLUMN_MEAN || view->source != METRIC_DERIVED)
			add_column(table, id);
	}
	if (view->info->is_accumulated || view->source == METRIC_DERIVED)
		add_column(table, COLUMN_SELF);
}

static void add_columns(struct metric_table *table)
{
	add_value_columns(table);
	if (!table->view->rows->has_estimated_counts)
		return;
	add_column(table, COLUMN_COUNT_LOW);
	add_column(table, COLUMN_COUNT_HIGH);
}

/* Of a deep path the name is to be read: up to half of the room, it takes the indentation's. */
static void table_make_room(const struct metric_table *table)
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
	table_make_room(table);
	return table->label;
}

static struct table_cell table_number_cell(const struct metric_value *value, enum column_id id)
{
	const double numbers[] = {
		[COLUMN_SUM] = value->sum,	     [COLUMN_MEAN] = value->mean,
		[COLUMN_MIN] = value->min,	     [COLUMN_MAX] = value->max,
		[COLUMN_VARIANCE] = value->variance, [COLUMN_DEVIATION] = value->deviation,
		[COLUMN_SELF] = value->self_percent,
	};
	bool is_of_visits = id >= COLUMN_MIN && id <= COLUMN_DEVIATION;

	return (struct table_cell){
		.is_missing = is_of_visits ? !value->has_visits : !value->has_sum,
		.number = numbers[id],
	};
}

static struct table_cell metric_cell(void *context, size_t row, unsigned int column)
{
	struct metric_table *table = context;
	const struct metric_view *view = table->view;
	const struct row *of = &view->rows->rows[row];
	enum column_id id = table->ids[column];

	switch (id) {
	case COLUMN_LABEL:
		return (struct table_cell){.text = label_of(table, row)};
	case COLUMN_METRIC:
		return (struct table_cell){.text = view->info->name};
	case COLUMN_UNITS:
		return (struct table_cell){.text = view->unit};
	case COLUMN_COUNT:
		return (struct table_cell){.count = of->count, .is_about = of->is_count_estimated};
	case COLUMN_COUNT_LOW:
		return (struct table_cell){.count = call_count_of(of).low};
	case COLUMN_COUNT_HIGH:
		return (struct table_cell){.count = call_count_of(of).high};
	case COLUMN_DEPTH:
		return (struct table_cell){.count = of->depth};
	default:
		break;
	}
	if (table->value_row != row) {
		metric_view_value(view, row, &table->value);
		table->value_row = row;
	}
	return table_number_cell(&table->value, id);
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

static enum kymo_status table_init(struct metric_table *table, const struct metric_view *view,
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
	table->label = malloc(table->label_size);
	if (!table->label)
		return KYMO_MEMORY;
	add_columns(table);
	table->table.columns = table->columns;
	table->table.row_count = view->rows->count;
	table->table.context = table;
	table->table.cell = metric_cell;
	return KYMO_OK;
}

static void write_open_note(const struct metric_view *view, FILE *out)
{
	fprintf(out, "* open when the recording ended%s\n",
		view->source == METRIC_FROM_ROW ? "; time counts up to then" : "");
}

/* The last line of a table that is not whole. */
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

enum kymo_status metric_write_table(const struct metric_view *view, enum metric_form form,
				    unsigned int label_limit, FILE *out)
{
	struct metric_table table;
	enum kymo_status status = table_init(&table, view, label_limit);

	if (status < 0)
		return status;
	switch (form) {
	case METRIC_BOXED:
		table.has_marks = view->rows->has_open;
		table_write_boxed(&table.table, view->info->description, label_limit, out);
		if (table.has_marks)
			write_open_note(view, out);
		if (view->rows->left_out)
			table_write_left_out(view, out);
		break;
	case METRIC_CSV:
		table_write_csv(&table.table, out);
		break;
	case METRIC_MARKDOWN:
		table_write_markdown(&table.table, out);
		break;
	}
	free(table.label);
	return KYMO_OK;
}
