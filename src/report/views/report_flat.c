/* The flat report: one row per region, largest first. */
#include "report/views/report_flat.h"

#include <math.h>

#include "command/xalloc.h"
#include "model/profile/name_filter.h"
#include "report/report.h"
#include "report/tables/table_path_time.h"
#include "report/tables/table_sort.h"
#include "report/views/report_sampled.h"
#include "report/views/report_text.h"

#define ESTIMATES_REMARK                                                                           \
	"\n(calls are counted exactly; times are estimates from those that were timed, which "     \
	"are off by more than +- in 5 of 100 runs)"

struct flat_table {
	struct region_texts texts;
	const struct flat_view *view;
};

static bool flat_is_rest(const struct table_item *item)
{
	const struct flat_table *table = item->view;
	uint32_t region = ((const struct flat_entry *)item->row)->region;

	return table->texts.regions->regions[region]->kind == KYMO_REGION_ROOT;
}

static struct table_cell flat_percent(const struct table_item *item)
{
	const struct flat_table *table = item->view;

	return (struct table_cell){
		.number = time_base_percent(&table->view->base,
					    ((const struct flat_entry *)item->row)->self_ns)};
}

/* With the significant digits. */
static struct table_cell sure_cell(double ns, double below_ns, double above_ns)
{
	return (struct table_cell){.number = ns * 1e-9, .error = fmax(below_ns, above_ns) * 1e-9};
}

static struct table_cell flat_self(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;

	return sure_cell(entry->self_ns, entry->estimate.self_below_ns,
			 entry->estimate.self_above_ns);
}

static struct table_cell flat_total(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;

	return sure_cell(entry->total_ns, entry->estimate.total_below_ns,
			 entry->estimate.total_above_ns);
}

static struct table_cell flat_calls(const struct table_item *item)
{
	return (struct table_cell){.is_missing = flat_is_rest(item),
				   .count = ((const struct flat_entry *)item->row)->calls};
}

static struct table_cell flat_per_call(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;
	double calls = entry->calls ? (double)entry->calls : 1;

	if (flat_is_rest(item))
		return (struct table_cell){.is_missing = true};
	return sure_cell(entry->total_ns / calls, entry->estimate.total_below_ns / calls,
			 entry->estimate.total_above_ns / calls);
}

/* For sorting: missing without calls. */
static struct table_cell flat_mean(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;

	return table_ns(entry->calls ? entry->total_ns / (double)entry->calls : 0);
}

static struct table_cell flat_primitive(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;

	return (struct table_cell){.is_missing = entry->is_primitive_estimated,
				   .count = entry->primitive_calls};
}

static struct table_cell flat_min(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;

	return (struct table_cell){.is_missing = entry->closed_calls == 0,
				   .number = entry->min_ns * 1e-9};
}

static struct table_cell flat_max(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;

	return (struct table_cell){.is_missing = entry->closed_calls == 0,
				   .number = entry->max_ns * 1e-9};
}

/* The error, in two digits; exact times have none. */
static struct table_cell off_cell(double below_ns, double above_ns, bool is_known)
{
	double ns = fmax(below_ns, above_ns);

	return (struct table_cell){
		.is_missing = !is_known || ns <= 0, .number = ns * 1e-9, .error = ns * 1e-10};
}

static struct table_cell flat_self_error(const struct table_item *item)
{
	const struct calltree_estimate *off = &((const struct flat_entry *)item->row)->estimate;

	return off_cell(off->self_below_ns, off->self_above_ns, off->is_known);
}

static struct table_cell flat_total_error(const struct table_item *item)
{
	const struct calltree_estimate *off = &((const struct flat_entry *)item->row)->estimate;

	return off_cell(off->total_below_ns, off->total_above_ns, off->is_known);
}

/* A bound of an interval. */
static struct table_cell flat_end(const struct table_item *item, double ns)
{
	bool is_known = ((const struct flat_entry *)item->row)->estimate.is_known;

	return (struct table_cell){.is_missing = !is_known, .number = fmax(ns, 0) * 1e-9};
}

static struct table_cell flat_self_low(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;

	return flat_end(item, entry->self_ns - entry->estimate.self_below_ns);
}

static struct table_cell flat_self_high(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;

	return flat_end(item, entry->self_ns + entry->estimate.self_above_ns);
}

static struct table_cell flat_total_low(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;

	return flat_end(item, entry->total_ns - entry->estimate.total_below_ns);
}

static struct table_cell flat_total_high(const struct table_item *item)
{
	const struct flat_entry *entry = item->row;

	return flat_end(item, entry->total_ns + entry->estimate.total_above_ns);
}

#define FLAT_REGION(getter) TABLE_REGION(getter, struct flat_entry, region)
#define FLAT_FIELD(member)  TABLE_FIELD(struct flat_entry, member)
#define FLAT_ERROR	    TABLE_DURATION, TABLE_PEOPLE | TABLE_ESTIMATES
#define FLAT_END	    TABLE_DURATION, TABLE_PROGRAMS | TABLE_ESTIMATES

static const struct table_column columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, TABLE_ALL, .get = flat_percent},
	{"SELF", "self", TABLE_DURATION, TABLE_ALL, .get = flat_self},
	{"+-", "self_error", FLAT_ERROR, .get = flat_self_error},
	{"TOTAL", "total", TABLE_DURATION, TABLE_ALL, .get = flat_total},
	{"+-", "total_error", FLAT_ERROR, .get = flat_total_error},
	{"CALLS", "calls", TABLE_COUNT, TABLE_PEOPLE, .get = flat_calls},
	{"CALLS", "calls", TABLE_COUNT, TABLE_PROGRAMS, FLAT_FIELD(calls)},
	{"PER CALL", "per_call", TABLE_DURATION, TABLE_ALL, .get = flat_per_call},
	{"REGION", "region", TABLE_TEXT, TABLE_PEOPLE, FLAT_REGION(table_get_region)},
	{"NAME", "name", TABLE_TEXT, TABLE_PROGRAMS, FLAT_REGION(table_get_name)},
	{"MODULE", "module", TABLE_TEXT, TABLE_PROGRAMS, FLAT_REGION(table_get_module)},
	{"FILE", "file", TABLE_TEXT, TABLE_PROGRAMS, FLAT_REGION(table_get_file)},
	{"LINE", "line", TABLE_ID, TABLE_PROGRAMS, FLAT_REGION(table_get_region_line)},
	{"PRIMITIVE", "primitive_calls", TABLE_COUNT, TABLE_PROGRAMS, .get = flat_primitive},
	{"MIN", "min", TABLE_DURATION, TABLE_PROGRAMS, .get = flat_min},
	{"MAX", "max", TABLE_DURATION, TABLE_PROGRAMS, .get = flat_max},
	{"OPEN", "open", TABLE_COUNT, TABLE_PROGRAMS, FLAT_FIELD(is_open)},
	{"SELF LOW", "self_low", FLAT_END, .get = flat_self_low},
	{"SELF HIGH", "self_high", FLAT_END, .get = flat_self_high},
	{"TOTAL LOW", "total_low", FLAT_END, .get = flat_total_low},
	{"TOTAL HIGH", "total_high", FLAT_END, .get = flat_total_high},
	{"", "mean", TABLE_DURATION, TABLE_HIDDEN, .get = flat_mean},
};

static bool accepts(const void *context, const struct region *region)
{
	return name_filter_accepts(context, region);
}

struct flat_view *report_flat_all(const struct report *report)
{
	struct flat_view *view;

	xneed(flat_view_new(report->loaded->trees, report->loaded->tree_count, report->regions,
			    report->options.thread, &view) == KYMO_OK);
	return view;
}

enum kymo_status report_flat_view(const struct report *report, struct flat_view **out,
				  struct problem *problem)
{
	struct name_filter filter;
	struct flat_view *view;
	enum kymo_status status = name_filter_init(&filter, report->options.filter, problem);

	if (status < 0)
		return status;
	view = report_flat_all(report);
	flat_view_keep(view, accepts, &filter);
	*out = view;
	name_filter_release(&filter);
	return KYMO_OK;
}

void report_flat_order(const struct report *report, const struct flat_view *view,
		       struct table *table)
{
	const char *const keys[] = {report_order_key(report->options.order), "name", NULL};
	struct flat_table context = {.texts.regions = report->regions, .view = view};
	struct table flat = {
		TABLE_COLUMNS(columns),
		TABLE_ROWS(view->entries, view->count),
		.order = table_order_new(view->count),
		.view = &context,
	};

	table_sort(&flat, view->count - view->rest_count, keys);
	table_set_rows(table, view->entries, view->count);
	table->order = flat.order;
}

static void flat_write(const struct report *report, const struct flat_view *view,
		       struct table *table)
{
	table_keep(table, view->count, (size_t)report->options.top, view->rest_count);
	report_write_table(report, table, "regions", true);
	report_remark_empty(report, view->count, view->rest_count, "region");
	if (view->has_estimates)
		report_write_remark(report, report->facts->has_positions ? POSITIONS_REMARK
									 : ESTIMATES_REMARK);
	report_remark_rest(report, view->count - view->rest_count, "region");
}

enum kymo_status report_flat(const struct report *report, struct problem *problem)
{
	struct flat_table context = {.texts.regions = report->regions};
	struct table table = {TABLE_COLUMNS(columns), .view = &context};
	struct flat_view *view;
	enum kymo_status status;

	if (report->loaded->is_sampled)
		return report_sampled(report, problem);
	status = report_flat_view(report, &view, problem);
	if (status < 0)
		return status;
	context.view = view;
	table.audience = view->has_estimates ? TABLE_ESTIMATES : 0;
	report_flat_order(report, view, &table);
	flat_write(report, view, &table);
	flat_view_free(view);
	return KYMO_OK;
}
