/* A region between those that call it and those that it calls.
 *
 * Shares are of the region's total.  Recursion counts once there: what a call of the region
 * took inside of another one is part of that, and a caller that is only met there adds up to
 * no more than what is outermost for the pair. */
#include "report/report.h"

#include <stdlib.h>

#include "model/profile/name_filter.h"
#include "report/views/report_text.h"

enum role { ROLE_CALLER, ROLE_REGION, ROLE_CALLEE };

enum butterfly_column {
	BUTTERFLY_PERCENT,
	BUTTERFLY_TOTAL,
	BUTTERFLY_SELF,
	BUTTERFLY_CALLS,
	BUTTERFLY_NAME,
	/* Only where a program reads the table: */
	BUTTERFLY_ROLE,
	BUTTERFLY_PLACE,
	BUTTERFLY_OF,
	BUTTERFLY_OF_PLACE,
	/* Only where calls are estimates: */
	BUTTERFLY_CALLS_LOW,
	BUTTERFLY_CALLS_HIGH,
};

static const struct table_column columns[] = {
	{"% OF IT", "percent", TABLE_PERCENT, 1, 0, false},
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"REGION", "name", TABLE_TEXT, 0, 0, false},
	{"ROLE", "role", TABLE_TEXT, 0, 0, false},
	{"PLACE", "place", TABLE_TEXT, 0, 0, false},
	{"OF", "of", TABLE_TEXT, 0, 0, false},
	{"OF PLACE", "of_place", TABLE_TEXT, 0, 0, false},
	{"CALLS LOW", "calls_low", TABLE_COUNT, 0, 0, false},
	{"CALLS HIGH", "calls_high", TABLE_COUNT, 0, 0, false},
};
#define PEOPLE_COLUMNS	 5
#define PROGRAM_COLUMNS	 9
#define ESTIMATE_COLUMNS 11

struct line {
	enum role role;
	bool has_region; /* false: called by nobody that was recorded */
	uint32_t region, of;
	struct call_count calls;
	double self_ns, total_ns, whole_ns;
};

struct butterfly {
	const struct flat_view *view;
	struct line *lines;
	size_t count;
	bool is_for_people, has_estimated_calls;
	char text[REPORT_NAME_MAX + 8];
};

static struct table_cell butterfly_name_cell(struct butterfly *butterfly, const struct line *line)
{
	static const char *const marks[] = {
		[ROLE_CALLER] = "<- ", [ROLE_REGION] = "", [ROLE_CALLEE] = "-> "};
	const struct region *region = butterfly->view->regions->regions[line->region];
	size_t used = 0;

	if (butterfly->is_for_people)
		used = (size_t)snprintf(butterfly->text, sizeof(butterfly->text), "%s",
					marks[line->role]);
	else if (!line->has_region)
		return (struct table_cell){.is_missing = true};
	if (!line->has_region)
		snprintf(butterfly->text + used, sizeof(butterfly->text) - used, "(outermost)");
	else
		report_name_cell(region, butterfly->is_for_people, butterfly->text + used);
	return (struct table_cell){.text = butterfly->text};
}

static struct table_cell butterfly_place_cell(struct butterfly *butterfly, uint32_t region)
{
	return report_place_cell(butterfly->view->regions->regions[region], butterfly->text);
}

static struct table_cell butterfly_cell(void *context, size_t row, unsigned int column)
{
	static const char *const roles[] = {"caller", "region", "callee"};
	struct butterfly *butterfly = context;
	const struct line *line = &butterfly->lines[row];

	switch ((enum butterfly_column)column) {
	case BUTTERFLY_PERCENT:
		return (struct table_cell){
			.number = line->whole_ns > 0 ? 100 * line->total_ns / line->whole_ns : 0};
	case BUTTERFLY_TOTAL:
		return (struct table_cell){.number = line->total_ns * 1e-9};
	case BUTTERFLY_SELF:
		return (struct table_cell){.number = line->self_ns * 1e-9};
	case BUTTERFLY_CALLS:
		return (struct table_cell){.count = line->calls.count,
					   .is_about = line->calls.is_estimated};
	case BUTTERFLY_NAME:
		return butterfly_name_cell(butterfly, line);
	case BUTTERFLY_ROLE:
		return (struct table_cell){.text = roles[line->role]};
	case BUTTERFLY_PLACE:
		return line->has_region ? butterfly_place_cell(butterfly, line->region)
					: (struct table_cell){.is_missing = true};
	case BUTTERFLY_OF:
		region_name(butterfly->view->regions->regions[line->of], butterfly->text,
			    sizeof(butterfly->text));
		return (struct table_cell){.text = butterfly->text};
	case BUTTERFLY_OF_PLACE:
		return butterfly_place_cell(butterfly, line->of);
	case BUTTERFLY_CALLS_LOW:
		return (struct table_cell){.count = line->calls.low};
	case BUTTERFLY_CALLS_HIGH:
		return (struct table_cell){.count = line->calls.high};
	}
	return (struct table_cell){.is_missing = true};
}

/* Callers stand above the region with the largest next to it, callees below it likewise. */
static int butterfly_compare(const void *left, const void *right)
{
	const struct line *a = left, *b = right;
	int sign = a->role == ROLE_CALLER ? -1 : 1;

	if (a->role != b->role)
		return a->role < b->role ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? sign : -sign;
	return a->region < b->region ? sign : -sign;
}

static void butterfly_add_link(struct butterfly *butterfly, const struct flat_link *link,
			       enum role role, const struct flat_entry *entry)
{
	butterfly->has_estimated_calls |= link->calls.is_estimated;
	butterfly->lines[butterfly->count++] = (struct line){
		.role = role,
		.has_region = role == ROLE_CALLEE || link->has_caller,
		.region = role == ROLE_CALLEE ? link->callee : link->caller,
		.of = entry->region,
		.calls = link->calls,
		.self_ns = link->self_ns,
		.total_ns = link->total_ns,
		.whole_ns = entry->total_ns,
	};
}

static void butterfly_add_region(struct butterfly *butterfly, const struct flat_entry *entry)
{
	const struct flat_view *view = butterfly->view;
	size_t first = butterfly->count;

	for (size_t i = 0; i < view->link_count; i++) {
		const struct flat_link *link = &view->links[i];

		if (link->callee == entry->region)
			butterfly_add_link(butterfly, link, ROLE_CALLER, entry);
		if (link->has_caller && link->caller == entry->region)
			butterfly_add_link(butterfly, link, ROLE_CALLEE, entry);
	}
	butterfly->lines[butterfly->count++] = (struct line){
		.role = ROLE_REGION,
		.has_region = true,
		.region = entry->region,
		.of = entry->region,
		.calls = {.count = entry->calls, .low = entry->calls, .high = entry->calls},
		.self_ns = entry->self_ns,
		.total_ns = entry->total_ns,
		.whole_ns = entry->total_ns,
	};
	qsort(butterfly->lines + first, butterfly->count - first, sizeof(*butterfly->lines),
	      butterfly_compare);
}

/* Of each role only as many as the options say: those with most time. */
static void keep_top(struct butterfly *butterfly, size_t first, uint64_t top)
{
	size_t kept = first, callers = 0, callees = 0, seen = 0;

	for (size_t i = first; i < butterfly->count; i++)
		callers += butterfly->lines[i].role == ROLE_CALLER;
	for (size_t i = first; i < butterfly->count; i++) {
		enum role role = butterfly->lines[i].role;
		bool is_kept = role == ROLE_REGION ||
			       (role == ROLE_CALLER ? callers - seen++ <= top : callees++ < top);

		if (is_kept)
			butterfly->lines[kept++] = butterfly->lines[i];
	}
	butterfly->count = kept;
}

static void butterfly_write_regions(const struct report *report, struct butterfly *butterfly,
				    const bool *marks)
{
	struct table table = {
		.columns = columns,
		.column_count = butterfly->is_for_people ? PEOPLE_COLUMNS : PROGRAM_COLUMNS,
		.context = butterfly,
		.cell = butterfly_cell,
	};
	const struct flat_view *view = butterfly->view;
	size_t hidden = 0;

	for (size_t i = 0; i < view->count; i++) {
		size_t first = butterfly->count, count;

		if (!marks[view->entries[i].region])
			continue;
		butterfly_add_region(butterfly, &view->entries[i]);
		count = butterfly->count;
		if (report->options.top)
			keep_top(butterfly, first, report->options.top);
		hidden += count - butterfly->count;
	}
	table.row_count = butterfly->count;
	if (butterfly->has_estimated_calls && !butterfly->is_for_people)
		table.column_count = ESTIMATE_COLUMNS;
	report_write_table(report, &table, "butterfly", false);
	if (butterfly->has_estimated_calls)
		report_write_remark(report, REPORT_CALLS_REMARK);
	if (butterfly->count == 0)
		report_write_remark(report, "(it was not called)");
	if (hidden > 0)
		report_write_remark(report, "%zu more caller%s and callees; --top 0 shows all",
				    hidden, hidden == 1 ? "" : "s");
}

enum kymo_status report_butterfly(const struct report *report, const char *name,
				  struct problem *problem)
{
	struct butterfly butterfly = {
		.is_for_people = report_form_is_for_people(report->options.form),
	};
	struct flat_view *view = NULL;
	bool *marks;
	enum kymo_status status = name_find(report->regions, name, &marks, problem);

	if (status < 0)
		return status;
	status = flat_view_new(report->loaded->trees, report->loaded->tree_count, report->regions,
			       report->options.thread, &view);
	if (status == KYMO_OK) {
		flat_view_sort(view, ORDER_TOTAL);
		butterfly.view = view;
		/* A link is a line of two regions at most, an entry is one. */
		butterfly.lines =
			calloc(2 * view->link_count + view->count + 1, sizeof(*butterfly.lines));
		status = butterfly.lines ? KYMO_OK : KYMO_MEMORY;
	}
	if (status == KYMO_OK)
		butterfly_write_regions(report, &butterfly, marks);
	else
		problem_set(problem, status, "out of memory");
	free(butterfly.lines);
	flat_view_free(view);
	free(marks);
	return status;
}
