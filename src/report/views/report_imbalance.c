/* One row per region: how unevenly its work, including its callees', is distributed over ranks,
 * processes or threads, and the cost of that: if all wait for the slowest, each loses the
 * difference.
 *
 * Regions without work, if selected, are compared by their time.  So is time outside regions, since
 * its nature is not known. */
#include <stdlib.h>
#include <string.h>

#include "command/xalloc.h"
#include "report/views/report_spread.h"
#include "model/parts/parts_group.h"
#include "model/parts/parts_name.h"
#include "model/parts/parts_spread.h"
#include "report/views/report_text.h"

struct entry {
	uint32_t region;
	bool is_rest; /* time outside regions */
	bool is_work; /* work is compared; else time */
	double cost_ns;
	struct parts_spread spread; /* without its values */
};

struct list {
	struct region_texts texts;
	const struct report *report;
	const struct parts *parts;
	enum parts_by by;
	struct entry *entries;
	size_t count, rest_count;
	bool has_times; /* of regions without work */
};

static struct table_cell imbalance_group(const struct table_item *item)
{
	struct list *list = item->view;
	const size_t *group = table_member(item);

	parts_group_name(list->parts, list->by, *group, list->texts.text, REPORT_NAME_MAX);
	return table_text(list->texts.text);
}

/* "thread 3 (worker)": in narrow columns the number alone. */
static struct table_cell imbalance_short_group(const struct table_item *item)
{
	struct list *list = item->view;
	struct table_cell cell = imbalance_group(item);
	char *name = strstr(list->texts.text, " (");

	if (name)
		*name = '\0';
	return cell;
}

static struct table_cell imbalance_percent(const struct table_item *item)
{
	return (struct table_cell){.number = 100 *
					     ((const struct entry *)item->row)->spread.imbalance};
}

static struct table_cell imbalance_compared(const struct table_item *item)
{
	return table_text(((const struct entry *)item->row)->is_work ? "work" : "time");
}

#define IMBALANCE_FIELD(member)	  TABLE_FIELD(struct entry, member)
#define IMBALANCE_REGION(getter)  TABLE_REGION(getter, struct entry, region)
#define IMBALANCE_AT(getter, end) TABLE_MEMBER(getter, struct entry, spread.end)

static const struct table_column columns[] = {
	{"COST", "cost", TABLE_DURATION, TABLE_ALL, IMBALANCE_FIELD(cost_ns)},
	{"UNEVEN", "imbalance_percent", TABLE_NUMBER, TABLE_PEOPLE, .get = imbalance_percent},
	{"UNEVEN", "imbalance_percent", TABLE_PERCENT, TABLE_PROGRAMS, .get = imbalance_percent},
	{"MEAN", "mean", TABLE_DURATION, TABLE_ALL, IMBALANCE_FIELD(spread.mean)},
	{"DEVIATION", "deviation", TABLE_DURATION, TABLE_PROGRAMS,
	 IMBALANCE_FIELD(spread.deviation)},
	{"MIN", "min", TABLE_DURATION, TABLE_ALL, IMBALANCE_FIELD(spread.min)},
	{"MIN AT", "min_at", TABLE_TEXT, TABLE_PROGRAMS, IMBALANCE_AT(imbalance_group, min_at)},
	{"MAX", "max", TABLE_DURATION, TABLE_ALL, IMBALANCE_FIELD(spread.max)},
	{"AT", "max_at", TABLE_TEXT, TABLE_PEOPLE, IMBALANCE_AT(imbalance_short_group, max_at)},
	{"MAX AT", "max_at", TABLE_TEXT, TABLE_PROGRAMS, IMBALANCE_AT(imbalance_group, max_at)},
	{"COMPARED", "compared", TABLE_TEXT, TABLE_PROGRAMS, .get = imbalance_compared},
	{"REGION", "region", TABLE_TEXT, TABLE_PEOPLE, IMBALANCE_REGION(table_get_region)},
	{"NAME", "name", TABLE_TEXT, TABLE_PROGRAMS, IMBALANCE_REGION(table_get_name)},
	{"PLACE", "place", TABLE_TEXT, TABLE_PROGRAMS, IMBALANCE_REGION(table_get_location)},
	{"", "rest", TABLE_ID, TABLE_HIDDEN, IMBALANCE_FIELD(is_rest)},
	{"", "sum", TABLE_DURATION, TABLE_HIDDEN, IMBALANCE_FIELD(spread.sum)},
};

static const char *const imbalance_order[] = {"rest", "cost", "sum", NULL};

static void imbalance_measure(const struct list *list, uint32_t region, enum parts_time time,
			      struct parts_spread *spread)
{
	xneed(parts_spread_new(list->parts, region, list->by, time, spread) == KYMO_OK);
	if (list->by == PARTS_BY_RANK)
		xneed(parts_spread_ranked(list->parts, spread) == KYMO_OK);
	free(spread->values);
	spread->values = NULL;
}

static void imbalance_add_region(void *context, uint32_t region)
{
	struct list *list = context;
	struct entry *entry = &list->entries[list->count];
	bool is_rest = list->report->regions->regions[region]->kind == KYMO_REGION_ROOT;

	imbalance_measure(list, region, PARTS_WORK_TOTAL, &entry->spread);
	*entry = (struct entry){.region = region, .is_rest = is_rest, .spread = entry->spread};
	entry->is_work = entry->spread.sum > 0;
	if (!entry->is_work && (is_rest || list->report->options.filter))
		imbalance_measure(list, region, PARTS_TOTAL, &entry->spread);
	if (entry->spread.sum <= 0)
		return;
	entry->cost_ns = entry->spread.max * (double)entry->spread.count - entry->spread.sum;
	list->has_times |= !entry->is_work && !is_rest;
	list->rest_count += is_rest;
	list->count++;
}

static void imbalance_add_regions(struct list *list, const bool *marks)
{
	list->entries = xcalloc((size_t)list->report->regions->count + 1, sizeof(*list->entries));
	spread_add_marked(list->report, list->parts, marks, imbalance_add_region, list);
}

static void imbalance_write(const struct report *report, struct list *list, const bool *marks)
{
	struct table table = {
		TABLE_COLUMNS(columns),
		TABLE_ROWS(list->entries, list->count),
		.view = list,
	};
	size_t count = parts_group_count(list->parts, list->by);

	report_write_ordered(report, &table, imbalance_order, list->rest_count, "imbalance");
	spread_remark_unmatched(report, list->parts, marks);
	report_remark_rest(report, list->count - list->rest_count, "region");
	if (count < 2)
		report_write_remark(report, "There is one %s only: nothing can be uneven.",
				    spread_noun(list->by, 1));
	if (list->has_times)
		report_write_remark(report, "regions that do no work are compared by their time");
	spread_remark_work(report, list->parts, list->by);
}

static enum kymo_status imbalance_report_parts(const struct report *report,
					       const struct parts *parts, const bool *marks,
					       struct problem *problem)
{
	struct list list = {
		.texts.regions = report->regions,
		.report = report,
		.parts = parts,
	};
	enum kymo_status status = spread_group(report, parts, &list.by, problem);

	if (status < 0)
		return status;
	imbalance_add_regions(&list, marks);
	imbalance_write(report, &list, marks);
	return KYMO_OK;
}

enum kymo_status report_imbalance(const struct report *report, struct problem *problem)
{
	return spread_show_filtered(report, imbalance_report_parts, problem);
}
