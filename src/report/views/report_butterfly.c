/* A region with its callers and callees.
 *
 * Percentages refer to the region's total.  Recursion counts once there: the time of a nested call
 * of the region is part of it, and a caller that occurs only inside of it adds up to no more than
 * what is outermost for the pair. */
#include "report/report.h"

#include <stdlib.h>

#include "command/xalloc.h"
#include "model/profile/name_filter.h"
#include "report/tables/table_sort.h"
#include "report/views/report_flat.h"
#include "report/views/report_text.h"

enum role { ROLE_CALLER, ROLE_REGION, ROLE_CALLEE };

struct line {
	enum role role;
	bool has_region; /* false: no recorded caller */
	uint32_t region, of;
	struct call_count calls;
	double self_ns, total_ns, whole_ns;
};

struct butterfly {
	struct region_texts texts;
	const struct flat_view *view;
	struct line *lines;
	uint32_t *order;
	size_t count; /* of the lines; kept: shown ones */
	size_t kept;
	bool has_estimated_calls;
};

static struct table_cell butterfly_percent(const struct table_item *item)
{
	const struct line *line = item->row;

	return table_percent(line->total_ns, line->whole_ns);
}

/* "-> f  x.py:3" */
static struct table_cell butterfly_region(const struct table_item *item)
{
	static const char *const marks[] = {
		[ROLE_CALLER] = "<- ", [ROLE_REGION] = "", [ROLE_CALLEE] = "-> "};
	const struct line *line = item->row;
	struct region_texts *texts = item->view;
	size_t used = (size_t)snprintf(texts->text, sizeof(texts->text), "%s", marks[line->role]);

	if (line->has_region)
		report_region(texts->regions->regions[line->region], texts->text + used,
			      REPORT_NAME_MAX);
	else
		snprintf(texts->text + used, sizeof(texts->text) - used, "(outermost)");
	return table_text(texts->text);
}

static bool butterfly_has_region(const struct table_item *item)
{
	return ((const struct line *)item->row)->has_region;
}

static struct table_cell butterfly_name(const struct table_item *item)
{
	return table_get_if(butterfly_has_region(item), table_get_name, item);
}

static struct table_cell butterfly_place(const struct table_item *item)
{
	return table_get_if(butterfly_has_region(item), table_get_location, item);
}

static struct table_cell butterfly_role(const struct table_item *item)
{
	static const char *const roles[] = {"caller", "region", "callee"};

	return table_text(roles[((const struct line *)item->row)->role]);
}

static struct table_cell butterfly_role_number(const struct table_item *item)
{
	return (struct table_cell){.count = ((const struct line *)item->row)->role};
}

/* Callers are above the region with the largest next to it, callees below it likewise. */
static double butterfly_sign(const struct line *line)
{
	return line->role == ROLE_CALLER ? -1 : 1;
}

static struct table_cell butterfly_nearness(const struct table_item *item)
{
	const struct line *line = item->row;

	return (struct table_cell){.number = butterfly_sign(line) * line->total_ns};
}

static struct table_cell butterfly_number(const struct table_item *item)
{
	const struct line *line = item->row;

	return (struct table_cell){.number = butterfly_sign(line) * line->region};
}

#define BUTTERFLY_CALLS(getter) TABLE_MEMBER(getter, struct line, calls)

static const struct table_column columns[] = {
	{"% OF IT", "percent", TABLE_PERCENT, TABLE_ALL, .get = butterfly_percent},
	{"TOTAL", "total", TABLE_DURATION, TABLE_ALL, TABLE_FIELD(struct line, total_ns)},
	{"SELF", "self", TABLE_DURATION, TABLE_ALL, TABLE_FIELD(struct line, self_ns)},
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, BUTTERFLY_CALLS(table_get_calls)},
	{"REGION", "name", TABLE_TEXT, TABLE_PEOPLE, .get = butterfly_region},
	{"REGION", "name", TABLE_TEXT, TABLE_PROGRAMS,
	 TABLE_REGION(butterfly_name, struct line, region)},
	{"ROLE", "role", TABLE_TEXT, TABLE_PROGRAMS, .get = butterfly_role},
	{"PLACE", "place", TABLE_TEXT, TABLE_PROGRAMS,
	 TABLE_REGION(butterfly_place, struct line, region)},
	{"OF", "of", TABLE_TEXT, TABLE_PROGRAMS, TABLE_REGION(table_get_name, struct line, of)},
	{"OF PLACE", "of_place", TABLE_TEXT, TABLE_PROGRAMS,
	 TABLE_REGION(table_get_location, struct line, of)},
	{"CALLS LOW", "calls_low", TABLE_COUNT, TABLE_PROGRAMS | TABLE_ESTIMATES,
	 BUTTERFLY_CALLS(table_get_calls_low)},
	{"CALLS HIGH", "calls_high", TABLE_COUNT, TABLE_PROGRAMS | TABLE_ESTIMATES,
	 BUTTERFLY_CALLS(table_get_calls_high)},
	{"", "role_number", TABLE_ID, TABLE_HIDDEN, .get = butterfly_role_number},
	{"", "nearness", TABLE_NUMBER, TABLE_HIDDEN, .get = butterfly_nearness},
	{"", "number", TABLE_NUMBER, TABLE_HIDDEN, .get = butterfly_number},
};

static const char *const butterfly_order[] = {"role_number", "nearness", "number", NULL};

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
}

/* Of each role only as many as the options specify: those with most time; top 0 = all. */
static void butterfly_keep(struct butterfly *butterfly, const uint32_t *order, size_t count,
			   uint64_t top)
{
	size_t callers = 0, callees = 0, seen = 0;

	for (size_t i = 0; i < count; i++)
		callers += butterfly->lines[order[i]].role == ROLE_CALLER;
	for (size_t i = 0; i < count; i++) {
		enum role role = butterfly->lines[order[i]].role;
		bool is_kept = top == 0 || role == ROLE_REGION ||
			       (role == ROLE_CALLER ? callers - seen++ <= top : callees++ < top);

		if (is_kept)
			butterfly->order[butterfly->kept++] = order[i];
	}
}

/* The lines of one region, after those of the others. */
static void butterfly_show_region(struct butterfly *butterfly, const struct table *table,
				  const struct flat_entry *entry, uint64_t top)
{
	struct table part = *table;
	size_t first = butterfly->count;

	butterfly_add_region(butterfly, entry);
	part.order = butterfly->order + first;
	for (size_t i = first; i < butterfly->count; i++)
		butterfly->order[i] = (uint32_t)i;
	table_sort(&part, butterfly->count - first, butterfly_order);
	butterfly_keep(butterfly, part.order, butterfly->count - first, top);
}

static void butterfly_write_regions(const struct report *report, struct butterfly *butterfly,
				    const bool *marks)
{
	struct table table = {
		TABLE_COLUMNS(columns),
		.rows = butterfly->lines,
		.row_bytes = sizeof(*butterfly->lines),
		.order = butterfly->order,
		.view = butterfly,
	};
	const struct flat_view *view = butterfly->view;
	size_t hidden;

	for (size_t i = 0; i < view->count; i++)
		if (marks[view->entries[i].region])
			butterfly_show_region(butterfly, &table, &view->entries[i],
					      report->options.top);
	hidden = butterfly->count - butterfly->kept;
	table.row_count = butterfly->kept;
	table.audience = butterfly->has_estimated_calls ? TABLE_ESTIMATES : 0;
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
	struct butterfly butterfly = {.texts.regions = report->regions};
	struct flat_view *view;
	size_t most;
	bool *marks;
	enum kymo_status status = name_find(report->regions, name, &marks, problem);

	if (status < 0)
		return status;
	view = report_flat_all(report);
	flat_view_sort(view, ORDER_TOTAL);
	/* A link is a line of two regions at most, an entry of one. */
	most = 2 * view->link_count + view->count;
	butterfly.view = view;
	butterfly.lines = xcalloc(most + 1, sizeof(*butterfly.lines));
	butterfly.order = table_order_new(most);
	butterfly_write_regions(report, &butterfly, marks);
	flat_view_free(view);
	free(marks);
	return KYMO_OK;
}
