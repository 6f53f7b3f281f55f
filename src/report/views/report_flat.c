/* The flat report: one row a region, largest first. */
#include "report/views/report_flat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile/name_filter.h"
#include "report/report.h"
#include "report/views/report_text.h"

enum flat_column {
	FLAT_PERCENT,
	FLAT_SELF,
	FLAT_TOTAL,
	FLAT_CALLS,
	FLAT_MEAN,
	FLAT_REGION,
	/* Only where a program reads the table: */
	FLAT_NAME = FLAT_REGION,
	FLAT_MODULE,
	FLAT_FILE,
	FLAT_LINE,
	FLAT_PRIMITIVE,
	FLAT_MIN,
	FLAT_MAX,
	FLAT_OPEN,
	/* Only where times are estimates: */
	FLAT_SELF_ERROR,
	FLAT_TOTAL_ERROR,
	FLAT_SELF_LOW,
	FLAT_SELF_HIGH,
	FLAT_TOTAL_LOW,
	FLAT_TOTAL_HIGH,
};

static const struct table_column people_columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, 1, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"PER CALL", "per_call", TABLE_DURATION, 0, 0, false},
	{"REGION", "region", TABLE_TEXT, 0, 0, false},
};

static const struct table_column program_columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, 1, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"PER CALL", "per_call", TABLE_DURATION, 0, 0, false},
	{"NAME", "name", TABLE_TEXT, 0, 0, false},
	{"MODULE", "module", TABLE_TEXT, 0, 0, false},
	{"FILE", "file", TABLE_TEXT, 0, 0, false},
	{"LINE", "line", TABLE_ID, 0, 0, false},
	{"PRIMITIVE", "primitive_calls", TABLE_COUNT, 0, 0, false},
	{"MIN", "min", TABLE_DURATION, 0, 0, false},
	{"MAX", "max", TABLE_DURATION, 0, 0, false},
	{"OPEN", "open", TABLE_COUNT, 0, 0, false},
};

/* Columns of tables in which times are estimates: for people how far off they may be, else the
 * intervals. */
static const struct table_column estimate_columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, 1, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"+-", "self_error", TABLE_DURATION, 0, 0, false},
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"+-", "total_error", TABLE_DURATION, 0, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"PER CALL", "per_call", TABLE_DURATION, 0, 0, false},
	{"REGION", "region", TABLE_TEXT, 0, 0, false},
};
static const enum flat_column estimate_order[] = {
	FLAT_PERCENT,	  FLAT_SELF,  FLAT_SELF_ERROR, FLAT_TOTAL,
	FLAT_TOTAL_ERROR, FLAT_CALLS, FLAT_MEAN,       FLAT_REGION,
};
static const struct table_column interval_columns[] = {
	{"SELF LOW", "self_low", TABLE_DURATION, 0, 0, false},
	{"SELF HIGH", "self_high", TABLE_DURATION, 0, 0, false},
	{"TOTAL LOW", "total_low", TABLE_DURATION, 0, 0, false},
	{"TOTAL HIGH", "total_high", TABLE_DURATION, 0, 0, false},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

#define ESTIMATES_REMARK                                                                           \
	"\n(calls are counted exactly; times are estimates from those that were timed, which "     \
	"are off by more than +- in 5 of 100 runs)"

struct flat_table {
	const struct report *report;
	const struct flat_view *view;
	bool is_for_people;
	const enum flat_column *order; /* NULL: as in the enum */
	char text[REPORT_NAME_MAX];
};

static struct table_cell flat_text_cell(const char *text)
{
	return (struct table_cell){.is_missing = !text, .text = text};
}

static struct table_cell flat_region_cell(struct flat_table *table, const struct region *region)
{
	return report_name_cell(region, table->is_for_people, table->text);
}

static struct table_cell flat_time_cell(double ns, bool is_known)
{
	return (struct table_cell){.is_missing = !is_known, .number = ns * 1e-9};
}

/* With the digits that are sure. */
static struct table_cell sure_cell(double ns, double below_ns, double above_ns)
{
	return (struct table_cell){.number = ns * 1e-9, .error = fmax(below_ns, above_ns) * 1e-9};
}

/* How far off it may be, in two digits; exact times are not off. */
static struct table_cell off_cell(double below_ns, double above_ns, bool is_known)
{
	double ns = fmax(below_ns, above_ns);

	return (struct table_cell){
		.is_missing = !is_known || ns <= 0, .number = ns * 1e-9, .error = ns * 1e-10};
}

static struct table_cell flat_error_cell(const struct flat_entry *entry, enum flat_column column)
{
	const struct calltree_estimate *estimate = &entry->estimate;
	bool is_known = estimate->is_known;

	switch (column) {
	case FLAT_SELF_ERROR:
		return off_cell(estimate->self_below_ns, estimate->self_above_ns, is_known);
	case FLAT_TOTAL_ERROR:
		return off_cell(estimate->total_below_ns, estimate->total_above_ns, is_known);
	case FLAT_SELF_LOW:
		return flat_time_cell(fmax(entry->self_ns - estimate->self_below_ns, 0), is_known);
	case FLAT_SELF_HIGH:
		return flat_time_cell(entry->self_ns + estimate->self_above_ns, is_known);
	case FLAT_TOTAL_LOW:
		return flat_time_cell(fmax(entry->total_ns - estimate->total_below_ns, 0),
				      is_known);
	default:
		return flat_time_cell(entry->total_ns + estimate->total_above_ns, is_known);
	}
}

static struct table_cell flat_cell(void *context, size_t row, unsigned int column)
{
	struct flat_table *table = context;
	const struct flat_view *view = table->view;
	const struct flat_entry *entry = report_flat_entry(table->report, view, row);
	const struct calltree_estimate *off = &entry->estimate;
	const struct region *region = view->regions->regions[entry->region];
	double calls = entry->calls ? (double)entry->calls : 1;
	bool is_rest = region->kind == KYMO_REGION_ROOT;
	enum flat_column what = table->order ? table->order[column] : (enum flat_column)column;

	if (!table->is_for_people && column > FLAT_OPEN)
		what = FLAT_SELF_LOW + (column - FLAT_OPEN - 1);
	switch (what) {
	case FLAT_PERCENT:
		return (struct table_cell){.number =
						   time_base_percent(&view->base, entry->self_ns)};
	case FLAT_SELF:
		return sure_cell(entry->self_ns, off->self_below_ns, off->self_above_ns);
	case FLAT_TOTAL:
		return sure_cell(entry->total_ns, off->total_below_ns, off->total_above_ns);
	case FLAT_CALLS:
		return (struct table_cell){.is_missing = is_rest && table->is_for_people,
					   .count = entry->calls};
	case FLAT_MEAN:
		if (is_rest)
			return (struct table_cell){.is_missing = true};
		return sure_cell(entry->total_ns / calls, off->total_below_ns / calls,
				 off->total_above_ns / calls);
	case FLAT_REGION:
		return flat_region_cell(table, region);
	case FLAT_MODULE:
		return flat_text_cell(region->module);
	case FLAT_FILE:
		return flat_text_cell(region->file);
	case FLAT_LINE:
		return (struct table_cell){.is_missing = !region->line, .count = region->line};
	case FLAT_PRIMITIVE:
		return (struct table_cell){.is_missing = entry->is_primitive_estimated,
					   .count = entry->primitive_calls};
	case FLAT_MIN:
		return flat_time_cell(entry->min_ns, entry->closed_calls > 0);
	case FLAT_MAX:
		return flat_time_cell(entry->max_ns, entry->closed_calls > 0);
	case FLAT_OPEN:
		return (struct table_cell){.count = entry->is_open};
	default:
		return flat_error_cell(entry, what);
	}
	return (struct table_cell){.is_missing = true};
}

static bool accepts(const void *context, const struct region *region)
{
	return name_filter_accepts(context, region);
}

enum kymo_status report_flat_view(const struct report *report, struct flat_view **out,
				  struct problem *problem)
{
	struct name_filter filter;
	struct flat_view *view;
	enum kymo_status status = name_filter_init(&filter, report->options.filter, problem);

	if (status < 0)
		return status;
	status = flat_view_new(report->loaded->trees, report->loaded->tree_count, report->regions,
			       report->options.thread, &view);
	if (status == KYMO_OK) {
		flat_view_keep(view, accepts, &filter);
		flat_view_sort(view, report->options.order);
		*out = view;
	} else {
		problem_set(problem, status, "out of memory");
	}
	name_filter_release(&filter);
	return status;
}

size_t report_flat_rows(const struct report *report, const struct flat_view *view)
{
	return report_rows_and_rest(report, view->count, view->rest_count);
}

const struct flat_entry *report_flat_entry(const struct report *report,
					   const struct flat_view *view, size_t row)
{
	return &view->entries[report_entry_at(report, view->count, view->rest_count, row)];
}

static void show_errors(struct flat_table *context, struct table *table,
			struct table_column columns[FLAT_TOTAL_HIGH + 1])
{
	if (context->is_for_people) {
		context->order = estimate_order;
		table->columns = estimate_columns;
		table->column_count = COUNT_OF(estimate_columns);
		return;
	}
	memcpy(columns, program_columns, sizeof(program_columns));
	memcpy(columns + COUNT_OF(program_columns), interval_columns, sizeof(interval_columns));
	table->columns = columns;
	table->column_count = COUNT_OF(program_columns) + COUNT_OF(interval_columns);
}

enum kymo_status report_flat(const struct report *report, struct problem *problem)
{
	bool is_for_people = report_form_is_for_people(report->options.form);
	struct flat_table context = {.report = report, .is_for_people = is_for_people};
	struct table table = {
		.columns = is_for_people ? people_columns : program_columns,
		.column_count =
			is_for_people ? COUNT_OF(people_columns) : COUNT_OF(program_columns),
		.context = &context,
		.cell = flat_cell,
	};
	struct table_column columns[FLAT_TOTAL_HIGH + 1];
	struct flat_view *view = NULL;
	enum kymo_status status;

	if (report->loaded->is_sampled)
		return report_sampled(report, problem);
	status = report_flat_view(report, &view, problem);
	if (status < 0)
		return status;
	context.view = view;
	if (view->has_estimates)
		show_errors(&context, &table, columns);
	table.row_count = report_flat_rows(report, view);
	report_write_table(report, &table, "regions", true);
	report_remark_empty(report, view->count, view->rest_count, "region");
	if (view->has_estimates)
		report_write_remark(report, ESTIMATES_REMARK);
	report_remark_rest(report, view->count - view->rest_count, "region");
	flat_view_free(view);
	return KYMO_OK;
}
