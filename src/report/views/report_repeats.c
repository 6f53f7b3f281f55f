/* Repeated runs that were merged: a region's time per run, and its confidence interval. */
#include <math.h>
#include <stdlib.h>

#include "command/xalloc.h"
#include "report/views/report_spread.h"
#include "model/parts/parts_spread.h"
#include "report/views/report_text.h"

struct entry {
	uint32_t region;
	struct parts_spread self, total; /* without their values */
};

struct list {
	struct region_texts texts;
	const struct report *report;
	const struct parts *parts;
	struct entry *entries;
	size_t count, rest_count; /* including time outside regions, which comes last */
};

static bool is_no_region(const struct list *list, uint32_t region)
{
	return list->report->regions->regions[region]->kind == KYMO_REGION_ROOT;
}

/* The lower bound of an interval: no time is below zero. */
static struct table_cell repeats_low(const struct table_item *item)
{
	const double *low = table_member(item);

	return table_ns(fmax(0, *low));
}

static struct table_cell repeats_rest(const struct table_item *item)
{
	const struct entry *entry = item->row;

	return (struct table_cell){.count = is_no_region(item->view, entry->region)};
}

#define REPEATS_FIELD(member)  TABLE_FIELD(struct entry, member)
#define REPEATS_LOW(member)    TABLE_MEMBER(repeats_low, struct entry, member)
#define REPEATS_REGION(getter) TABLE_REGION(getter, struct entry, region)

static const struct table_column columns[] = {
	{"SELF", "self_mean", TABLE_DURATION, TABLE_ALL, REPEATS_FIELD(self.mean)},
	{"DEVIATION", "self_deviation", TABLE_DURATION, TABLE_ALL, REPEATS_FIELD(self.deviation)},
	{"95 % FROM", "self_low", TABLE_DURATION, TABLE_ALL, REPEATS_LOW(self.low)},
	{"TO", "self_high", TABLE_DURATION, TABLE_ALL, REPEATS_FIELD(self.high)},
	{"TOTAL", "total_mean", TABLE_DURATION, TABLE_ALL, REPEATS_FIELD(total.mean)},
	{"DEVIATION", "total_deviation", TABLE_DURATION, TABLE_ALL, REPEATS_FIELD(total.deviation)},
	{"REGION", "region", TABLE_TEXT, TABLE_PEOPLE, REPEATS_REGION(table_get_region)},
	{"REGION", "region", TABLE_TEXT, TABLE_PROGRAMS, REPEATS_REGION(table_get_name)},
	{"95 % FROM", "total_low", TABLE_DURATION, TABLE_PROGRAMS, REPEATS_LOW(total.low)},
	{"TO", "total_high", TABLE_DURATION, TABLE_PROGRAMS, REPEATS_FIELD(total.high)},
	{"RUNS", "runs", TABLE_COUNT, TABLE_PROGRAMS, REPEATS_FIELD(self.count)},
	{"PLACE", "place", TABLE_TEXT, TABLE_PROGRAMS, REPEATS_REGION(table_get_location)},
	{"", "rest", TABLE_ID, TABLE_HIDDEN, .get = repeats_rest},
};

/* Without the values. */
static void repeats_measure(const struct list *list, uint32_t region, enum parts_time time,
			    struct parts_spread *spread)
{
	xneed(parts_spread_new(list->parts, region, PARTS_BY_RUN, time, spread) == KYMO_OK);
	free(spread->values);
}

static void repeats_add_region(void *context, uint32_t region)
{
	struct list *list = context;
	struct entry *entry = &list->entries[list->count];

	repeats_measure(list, region, PARTS_SELF, &entry->self);
	repeats_measure(list, region, PARTS_TOTAL, &entry->total);
	entry->region = region;
	list->rest_count += is_no_region(list, region);
	list->count++;
}

static void repeats_add_regions(struct list *list, const bool *marks)
{
	list->entries = xcalloc((size_t)list->report->regions->count + 1, sizeof(*list->entries));
	spread_add_marked(list->report, list->parts, marks, repeats_add_region, list);
}

static void repeats_write(const struct report *report, struct list *list, const bool *marks)
{
	bool is_total = report->options.order == ORDER_TOTAL;
	const char *const keys[] = {"rest", is_total ? "total_mean" : "self_mean", NULL};
	struct table table = {
		TABLE_COLUMNS(columns),
		TABLE_ROWS(list->entries, list->count),
		.view = list,
	};

	report_write_ordered(report, &table, keys, list->rest_count, "repeats");
	spread_remark_unmatched(report, list->parts, marks);
	report_remark_rest(report, list->count - list->rest_count, "region");
	report_write_remark(report, "times are means of %zu runs", list->parts->run_count);
}

static enum kymo_status repeats_report_parts(const struct report *report, const struct parts *parts,
					     const bool *marks, struct problem *problem)
{
	struct list list = {
		.texts.regions = report->regions,
		.report = report,
		.parts = parts,
	};

	if (parts->run_count < 2)
		return problem_set(problem, KYMO_USAGE,
				   "this is one run: 'kymo merge RUN RUN... -o ALL' makes one of "
				   "repeated ones, which --repeats compares");
	repeats_add_regions(&list, marks);
	repeats_write(report, &list, marks);
	return KYMO_OK;
}

enum kymo_status report_repeats(const struct report *report, struct problem *problem)
{
	return spread_show_filtered(report, repeats_report_parts, problem);
}
