/* Who calls a region, and whom it calls. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

#include "model/profile/name_filter.h"
#include "report/views/report_text.h"

enum link_column {
	LINK_TOTAL,
	LINK_SELF,
	LINK_CALLS,
	LINK_CALLER,
	LINK_CALLEE,
	/* Only where a program reads the table: */
	LINK_CALLER_PLACE,
	LINK_CALLEE_PLACE,
	/* Only where times are estimates: */
	LINK_TOTAL_LOW,
	LINK_TOTAL_HIGH,
	LINK_CALLS_LOW,
	LINK_CALLS_HIGH,
	LINK_TOTAL_ERROR,
};

static const struct table_column link_columns[] = {
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"CALLER", "caller", TABLE_TEXT, 0, 0, false},
	{"CALLEE", "callee", TABLE_TEXT, 0, 0, false},
	{"CALLER PLACE", "caller_place", TABLE_TEXT, 0, 0, false},
	{"CALLEE PLACE", "callee_place", TABLE_TEXT, 0, 0, false},
	{"TOTAL LOW", "total_low", TABLE_DURATION, 0, 0, false},
	{"TOTAL HIGH", "total_high", TABLE_DURATION, 0, 0, false},
	{"CALLS LOW", "calls_low", TABLE_COUNT, 0, 0, false},
	{"CALLS HIGH", "calls_high", TABLE_COUNT, 0, 0, false},
};

/* For people, where times are estimates. */
static const struct table_column estimate_columns[] = {
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"+-", "total_error", TABLE_DURATION, 0, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"FROM", "calls_low", TABLE_COUNT, 0, 0, false},
	{"TO", "calls_high", TABLE_COUNT, 0, 0, false},
	{"CALLER", "caller", TABLE_TEXT, 0, 0, false},
	{"CALLEE", "callee", TABLE_TEXT, 0, 0, false},
};
static const enum link_column estimate_order[] = {
	LINK_TOTAL,	LINK_TOTAL_ERROR, LINK_SELF,   LINK_CALLS,
	LINK_CALLS_LOW, LINK_CALLS_HIGH,  LINK_CALLER, LINK_CALLEE,
};

#define PEOPLE_COLUMNS	 5
#define PROGRAM_COLUMNS	 7
#define INTERVAL_COLUMNS 11
#define ESTIMATE_COLUMNS 8

#define CALLERS_REMARK                                                                             \
	"\n(how often it was called is exact; who called is known of the calls that were timed: "  \
	"~ "                                                                                       \
	"is an estimate, outside of FROM and TO in 5 of 100 runs; callers of which no call was "   \
	"timed are not listed)"

struct link_table {
	const struct flat_view *view;
	const struct flat_link **links;
	size_t count;
	bool is_for_people, has_estimates, has_estimated_calls;
	char text[REPORT_NAME_MAX];
};

static struct table_cell links_name_cell(struct link_table *table, uint32_t number)
{
	return report_name_cell(table->view->regions->regions[number], table->is_for_people,
				table->text);
}

static struct table_cell links_place_cell(struct link_table *table, uint32_t number)
{
	return report_place_cell(table->view->regions->regions[number], table->text);
}

static struct table_cell links_error_cell(const struct flat_link *link, enum link_column column)
{
	const struct calltree_estimate *estimate = &link->estimate;
	double ns = fmax(estimate->total_below_ns, estimate->total_above_ns), error = ns * 1e-10;

	if (column == LINK_TOTAL_LOW)
		ns = fmax(link->total_ns - estimate->total_below_ns, 0);
	else if (column == LINK_TOTAL_HIGH)
		ns = link->total_ns + estimate->total_above_ns;
	return (struct table_cell){.is_missing = !estimate->is_known ||
						 (column == LINK_TOTAL_ERROR && ns <= 0),
				   .number = ns * 1e-9,
				   .error = error};
}

/* For people only where there is something to say. */
static struct table_cell links_end_cell(const struct link_table *table,
					const struct flat_link *link, uint64_t count)
{
	return (struct table_cell){
		.is_missing = table->is_for_people && !link->calls.is_estimated,
		.count = count,
	};
}

static struct table_cell link_cell(void *context, size_t row, unsigned int column)
{
	struct link_table *table = context;
	const struct flat_link *link = table->links[row];

	if (table->has_estimates && table->is_for_people)
		column = estimate_order[column];
	switch ((enum link_column)column) {
	case LINK_TOTAL:
		return (struct table_cell){.number = link->total_ns * 1e-9,
					   .error = fmax(link->estimate.total_below_ns,
							 link->estimate.total_above_ns) *
						    1e-9};
	case LINK_SELF:
		return (struct table_cell){.number = link->self_ns * 1e-9,
					   .error = fmax(link->estimate.total_below_ns,
							 link->estimate.total_above_ns) *
						    1e-9};
	case LINK_CALLS:
		return (struct table_cell){.count = link->calls.count,
					   .is_about = link->calls.is_estimated};
	case LINK_CALLER:
		return link->has_caller ? links_name_cell(table, link->caller)
					: (struct table_cell){.is_missing = true};
	case LINK_CALLEE:
		return links_name_cell(table, link->callee);
	case LINK_CALLER_PLACE:
		return link->has_caller ? links_place_cell(table, link->caller)
					: (struct table_cell){.is_missing = true};
	case LINK_CALLEE_PLACE:
		return links_place_cell(table, link->callee);
	case LINK_TOTAL_LOW:
	case LINK_TOTAL_HIGH:
	case LINK_TOTAL_ERROR:
		return links_error_cell(link, (enum link_column)column);
	case LINK_CALLS_LOW:
		return links_end_cell(table, link, link->calls.low);
	case LINK_CALLS_HIGH:
		return links_end_cell(table, link, link->calls.high);
	}
	return (struct table_cell){.is_missing = true};
}

static int links_by_total(const void *left, const void *right)
{
	const struct flat_link *a = *(const struct flat_link *const *)left;
	const struct flat_link *b = *(const struct flat_link *const *)right;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	return a->caller != b->caller ? (a->caller < b->caller ? -1 : 1)
				      : (a->callee < b->callee ? -1 : a->callee > b->callee);
}

/* The links whose chosen end is marked. */
static bool choose_links(struct link_table *table, const bool *marks, bool is_callee_marked)
{
	const struct flat_view *view = table->view;

	table->links = calloc(view->link_count + 1, sizeof(*table->links));
	if (!table->links)
		return false;
	for (size_t i = 0; i < view->link_count; i++) {
		const struct flat_link *link = &view->links[i];
		bool is_chosen = is_callee_marked ? marks[link->callee]
						  : link->has_caller && marks[link->caller];

		if (is_chosen) {
			table->links[table->count++] = link;
			table->has_estimates |= link->estimate.is_known || link->calls.is_estimated;
			table->has_estimated_calls |= link->calls.is_estimated;
		}
	}
	qsort(table->links, table->count, sizeof(*table->links), links_by_total);
	return true;
}

static void write_links(const struct report *report, struct link_table *links,
			bool is_callee_marked)
{
	struct table table = {
		.columns = link_columns,
		.column_count = links->is_for_people ? PEOPLE_COLUMNS : PROGRAM_COLUMNS,
		.row_count = links->count,
		.context = links,
		.cell = link_cell,
	};

	if (links->has_estimates && links->is_for_people) {
		table.columns = estimate_columns;
		table.column_count = ESTIMATE_COLUMNS;
	} else if (links->has_estimates) {
		table.column_count = INTERVAL_COLUMNS;
	}
	if (report->options.top && report->options.top < links->count)
		table.row_count = (size_t)report->options.top;
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
	struct link_table table = {
		.is_for_people = report_form_is_for_people(report->options.form),
	};
	struct flat_view *view;
	bool *marks;
	enum kymo_status status = name_find(report->regions, name, &marks, problem);

	if (status < 0)
		return status;
	status = flat_view_new(report->loaded->trees, report->loaded->tree_count, report->regions,
			       report->options.thread, &view);
	if (status == KYMO_OK) {
		table.view = view;
		if (choose_links(&table, marks, is_callee_marked))
			write_links(report, &table, is_callee_marked);
		else
			status = KYMO_MEMORY;
		flat_view_free(view);
	}
	if (status < 0)
		problem_set(problem, status, "out of memory");
	free(table.links);
	free(marks);
	return status;
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
