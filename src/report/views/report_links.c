/* The callers and callees of a region.  Serves report.h. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

#include "model/profile/name_filter.h"
#include "report/tables/table_sort.h"
#include "report/views/report_flat.h"
#include "report/views/report_text.h"

#define CALLERS_REMARK                                                                             \
	"\n(how often it was called is exact; who called is known of the calls that were timed: "  \
	"~ "                                                                                       \
	"is an estimate, outside of FROM and TO in 5 of 100 runs; callers of which no call was "   \
	"timed are not listed)"

struct link_table {
	struct region_texts texts;
	const struct flat_view *view;
	uint32_t *order; /* links of the view */
	size_t count;
	bool has_estimates, has_estimated_calls;
};

/* Only a link's total has an error of its own. */
static double links_error_ns(const struct table_item *item)
{
	const struct calltree_estimate *estimate = &((const struct flat_link *)item->row)->estimate;

	return fmax(estimate->total_below_ns, estimate->total_above_ns);
}

static struct table_cell links_time(const struct table_item *item)
{
	struct table_cell cell = table_get_double(item);

	cell.error = links_error_ns(item) * 1e-9;
	return cell;
}

static struct table_cell links_error(const struct table_item *item)
{
	double ns = links_error_ns(item);
	bool is_known = ((const struct flat_link *)item->row)->estimate.is_known && ns > 0;

	return (struct table_cell){
		.is_missing = !is_known, .number = ns * 1e-9, .error = ns * 1e-10};
}

static struct table_cell links_end(const struct table_item *item, double ns)
{
	bool is_known = ((const struct flat_link *)item->row)->estimate.is_known;

	return (struct table_cell){.is_missing = !is_known, .number = ns * 1e-9};
}

static struct table_cell links_total_low(const struct table_item *item)
{
	const struct flat_link *link = item->row;

	return links_end(item, fmax(link->total_ns - link->estimate.total_below_ns, 0));
}

static struct table_cell links_total_high(const struct table_item *item)
{
	const struct flat_link *link = item->row;

	return links_end(item, link->total_ns + link->estimate.total_above_ns);
}

/* For people only if there is a value. */
static struct table_cell links_calls_from(const struct table_item *item)
{
	struct table_cell cell = table_get_calls_low(item);

	cell.is_missing = !((const struct flat_link *)item->row)->calls.is_estimated;
	return cell;
}

static struct table_cell links_calls_to(const struct table_item *item)
{
	struct table_cell cell = table_get_calls_high(item);

	cell.is_missing = !((const struct flat_link *)item->row)->calls.is_estimated;
	return cell;
}

static bool links_has_caller(const struct table_item *item)
{
	return ((const struct flat_link *)item->row)->has_caller;
}

static struct table_cell links_caller(const struct table_item *item)
{
	return table_get_if(links_has_caller(item), table_get_name, item);
}

static struct table_cell links_caller_region(const struct table_item *item)
{
	return table_get_if(links_has_caller(item), table_get_region, item);
}

static struct table_cell links_caller_place(const struct table_item *item)
{
	return table_get_if(links_has_caller(item), table_get_location, item);
}

#define LINKS_TIME(member)	    TABLE_MEMBER(links_time, struct flat_link, member)
#define LINKS_CALLS(getter)	    TABLE_MEMBER(getter, struct flat_link, calls)
#define LINKS_REGION(getter, which) TABLE_REGION(getter, struct flat_link, which)
#define LINKS_PEOPLE		    TABLE_PEOPLE | TABLE_ESTIMATES
#define LINKS_PROGRAMS		    TABLE_PROGRAMS | TABLE_ESTIMATES

static const struct table_column columns[] = {
	{"TOTAL", "total", TABLE_DURATION, TABLE_ALL, LINKS_TIME(total_ns)},
	{"+-", "total_error", TABLE_DURATION, LINKS_PEOPLE, .get = links_error},
	{"SELF", "self", TABLE_DURATION, TABLE_ALL, LINKS_TIME(self_ns)},
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, LINKS_CALLS(table_get_calls)},
	{"FROM", "calls_low", TABLE_COUNT, LINKS_PEOPLE, LINKS_CALLS(links_calls_from)},
	{"TO", "calls_high", TABLE_COUNT, LINKS_PEOPLE, LINKS_CALLS(links_calls_to)},
	{"CALLER", "caller", TABLE_TEXT, TABLE_PEOPLE, LINKS_REGION(links_caller_region, caller)},
	{"CALLER", "caller", TABLE_TEXT, TABLE_PROGRAMS, LINKS_REGION(links_caller, caller)},
	{"CALLEE", "callee", TABLE_TEXT, TABLE_PEOPLE, LINKS_REGION(table_get_region, callee)},
	{"CALLEE", "callee", TABLE_TEXT, TABLE_PROGRAMS, LINKS_REGION(table_get_name, callee)},
	{"CALLER PLACE", "caller_place", TABLE_TEXT, TABLE_PROGRAMS,
	 LINKS_REGION(links_caller_place, caller)},
	{"CALLEE PLACE", "callee_place", TABLE_TEXT, TABLE_PROGRAMS,
	 LINKS_REGION(table_get_location, callee)},
	{"TOTAL LOW", "total_low", TABLE_DURATION, LINKS_PROGRAMS, .get = links_total_low},
	{"TOTAL HIGH", "total_high", TABLE_DURATION, LINKS_PROGRAMS, .get = links_total_high},
	{"CALLS LOW", "calls_low", TABLE_COUNT, LINKS_PROGRAMS, LINKS_CALLS(table_get_calls_low)},
	{"CALLS HIGH", "calls_high", TABLE_COUNT, LINKS_PROGRAMS,
	 LINKS_CALLS(table_get_calls_high)},
	{"", "caller_number", TABLE_ID, TABLE_HIDDEN, TABLE_FIELD(struct flat_link, caller)},
	{"", "callee_number", TABLE_ID, TABLE_HIDDEN, TABLE_FIELD(struct flat_link, callee)},
};

static const char *const links_order[] = {"total", "caller_number", "callee_number", NULL};

/* The links whose selected end is marked. */
static void choose_links(struct link_table *table, const bool *marks, bool is_callee_marked)
{
	const struct flat_view *view = table->view;

	table->order = table_order_new(view->link_count);
	for (size_t i = 0; i < view->link_count; i++) {
		const struct flat_link *link = &view->links[i];
		bool is_chosen = is_callee_marked ? marks[link->callee]
						  : link->has_caller && marks[link->caller];

		if (is_chosen) {
			table->order[table->count++] = (uint32_t)i;
			table->has_estimates |= link->estimate.is_known || link->calls.is_estimated;
			table->has_estimated_calls |= link->calls.is_estimated;
		}
	}
}

static void write_links(const struct report *report, struct link_table *links,
			bool is_callee_marked)
{
	struct table table = {
		TABLE_COLUMNS(columns),
		.audience = links->has_estimates ? TABLE_ESTIMATES : 0,
		TABLE_ROWS(links->view->links, report_row_count(report, links->count)),
		.order = links->order,
		.view = links,
	};

	table_sort(&table, links->count, links_order);
	report_write_table(report, &table, is_callee_marked ? "callers" : "callees", false);
	if (links->has_estimated_calls && is_callee_marked)
		report_write_remark(report, CALLERS_REMARK);
	else if (links->has_estimated_calls)
		report_write_remark(report, REPORT_CALLS_REMARK);
	if (links->count == 0)
		report_write_remark(report, "(it calls nothing that was recorded)");
}

static enum kymo_status report_links(const struct report *report, const char *name,
				     bool is_callee_marked, struct problem *problem)
{
	struct link_table table = {.texts.regions = report->regions};
	struct flat_view *view;
	bool *marks;
	enum kymo_status status = name_find(report->regions, name, &marks, problem);

	if (status < 0)
		return status;
	view = report_flat_all(report);
	table.view = view;
	choose_links(&table, marks, is_callee_marked);
	write_links(report, &table, is_callee_marked);
	flat_view_free(view);
	free(marks);
	return KYMO_OK;
}

enum kymo_status report_callers(const struct report *report, const char *name,
				struct problem *problem)
{
	return report_links(report, name, true, problem);
}

enum kymo_status report_callees(const struct report *report, const char *name,
				struct problem *problem)
{
	return report_links(report, name, false, problem);
}
