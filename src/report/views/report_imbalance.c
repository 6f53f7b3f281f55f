/* One row a region: how unevenly ranks, processes or threads share its work, with that of all it
 * calls, and what that costs: where all wait for the slowest, each loses what it is faster.
 *
 * A region that does no work is compared where somebody chose it: by its time.  So is what is in no
 * region, of which nobody knows what it was. */
#include <stdlib.h>
#include <string.h>

#include "report/views/report_spread.h"
#include "model/parts/parts_spread.h"
#include "report/views/report_text.h"

enum imbalance_column {
	IMBALANCE_COST,
	IMBALANCE_FACTOR,
	IMBALANCE_MEAN,
	IMBALANCE_DEVIATION,
	IMBALANCE_MIN,
	IMBALANCE_MAX,
	IMBALANCE_MAX_AT,
	IMBALANCE_REGION,
	/* Only where a program reads the table: */
	IMBALANCE_MIN_AT,
	IMBALANCE_COMPARED,
	IMBALANCE_NAME,
	IMBALANCE_PLACE,
};

static const struct table_column people_columns[] = {
	{"COST", "cost", TABLE_DURATION, 0, 0, false},
	{"UNEVEN", "imbalance_percent", TABLE_PERCENT, 0, 0, false},
	{"MEAN", "mean", TABLE_DURATION, 0, 0, false},
	{"MIN", "min", TABLE_DURATION, 0, 0, false},
	{"MAX", "max", TABLE_DURATION, 0, 0, false},
	{"AT", "max_at", TABLE_TEXT, 0, 0, false},
	{"REGION", "region", TABLE_TEXT, 0, 0, false},
};
static const enum imbalance_column people_order[] = {
	IMBALANCE_COST, IMBALANCE_FACTOR, IMBALANCE_MEAN,   IMBALANCE_MIN,
	IMBALANCE_MAX,	IMBALANCE_MAX_AT, IMBALANCE_REGION,
};

static const struct table_column program_columns[] = {
	{"COST", "cost", TABLE_DURATION, 0, 0, false},
	{"UNEVEN", "imbalance_percent", TABLE_PERCENT, 1, 0, false},
	{"MEAN", "mean", TABLE_DURATION, 0, 0, false},
	{"DEVIATION", "deviation", TABLE_DURATION, 0, 0, false},
	{"MIN", "min", TABLE_DURATION, 0, 0, false},
	{"MIN AT", "min_at", TABLE_TEXT, 0, 0, false},
	{"MAX", "max", TABLE_DURATION, 0, 0, false},
	{"MAX AT", "max_at", TABLE_TEXT, 0, 0, false},
	{"COMPARED", "compared", TABLE_TEXT, 0, 0, false},
	{"NAME", "name", TABLE_TEXT, 0, 0, false},
	{"PLACE", "place", TABLE_TEXT, 0, 0, false},
};
static const enum imbalance_column program_order[] = {
	IMBALANCE_COST,	    IMBALANCE_FACTOR, IMBALANCE_MEAN,  IMBALANCE_DEVIATION,
	IMBALANCE_MIN,	    IMBALANCE_MIN_AT, IMBALANCE_MAX,   IMBALANCE_MAX_AT,
	IMBALANCE_COMPARED, IMBALANCE_NAME,   IMBALANCE_PLACE,
};

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

struct entry {
	uint32_t region;
	bool is_rest; /* of what is in no region */
	bool is_work; /* what is compared; else its time */
	double cost_ns;
	struct parts_spread spread; /* without its values */
};

struct list {
	const struct report *report;
	const struct parts *parts;
	enum parts_by by;
	const enum imbalance_column *order;
	struct entry *entries;
	size_t count, rest_count;
	bool has_times; /* of regions that do no work */
	char text[REPORT_NAME_MAX];
};

static struct table_cell group_cell(struct list *list, size_t group)
{
	char *name;

	parts_group_name(list->parts, list->by, group, list->text, sizeof(list->text));
	/* "thread 3 (worker)": where there is little room the number says it. */
	name = list->order == people_order ? strstr(list->text, " (") : NULL;
	if (name)
		*name = '\0';
	return (struct table_cell){.text = list->text};
}

static struct table_cell imbalance_region_cell(struct list *list, uint32_t number,
					       enum imbalance_column column)
{
	const struct region *region = list->report->regions->regions[number];

	return column == IMBALANCE_PLACE
		       ? report_place_cell(region, list->text)
		       : report_name_cell(region, column == IMBALANCE_REGION, list->text);
}

static struct table_cell imbalance_time_cell(double ns)
{
	return (struct table_cell){.number = ns * 1e-9};
}

static struct table_cell imbalance_cell(void *context, size_t row, unsigned int column)
{
	struct list *list = context;
	const struct entry *entry =
		&list->entries[report_entry_at(list->report, list->count, list->rest_count, row)];
	const struct parts_spread *spread = &entry->spread;

	switch (list->order[column]) {
	case IMBALANCE_COST:
		return imbalance_time_cell(entry->cost_ns);
	case IMBALANCE_FACTOR:
		return (struct table_cell){.number = 100 * spread->imbalance};
	case IMBALANCE_MEAN:
		return imbalance_time_cell(spread->mean);
	case IMBALANCE_DEVIATION:
		return imbalance_time_cell(spread->deviation);
	case IMBALANCE_MIN:
		return imbalance_time_cell(spread->min);
	case IMBALANCE_MAX:
		return imbalance_time_cell(spread->max);
	case IMBALANCE_MIN_AT:
		return group_cell(list, spread->min_at);
	case IMBALANCE_MAX_AT:
		return group_cell(list, spread->max_at);
	case IMBALANCE_COMPARED:
		return (struct table_cell){.text = entry->is_work ? "work" : "time"};
	case IMBALANCE_REGION:
	case IMBALANCE_NAME:
	case IMBALANCE_PLACE:
		return imbalance_region_cell(list, entry->region, list->order[column]);
	}
	return (struct table_cell){.is_missing = true};
}

static int imbalance_by_cost(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->is_rest != b->is_rest)
		return a->is_rest ? 1 : -1;
	if (a->cost_ns != b->cost_ns)
		return a->cost_ns < b->cost_ns ? 1 : -1;
	if (a->spread.sum != b->spread.sum)
		return a->spread.sum < b->spread.sum ? 1 : -1;
	return (a->region > b->region) - (a->region < b->region);
}

static enum kymo_status imbalance_measure(const struct list *list, uint32_t region,
					  enum parts_time time, struct parts_spread *spread)
{
	enum kymo_status status = parts_spread_new(list->parts, region, list->by, time, spread);

	if (status == KYMO_OK && list->by == PARTS_BY_RANK)
		status = parts_spread_ranked(list->parts, spread);
	if (status < 0) {
		parts_spread_release(spread);
		return status;
	}
	free(spread->values);
	spread->values = NULL;
	return KYMO_OK;
}

static enum kymo_status imbalance_add_region(void *context, uint32_t region)
{
	struct list *list = context;
	struct entry *entry = &list->entries[list->count];
	bool is_rest = list->report->regions->regions[region]->kind == KYMO_REGION_ROOT;
	enum kymo_status status = imbalance_measure(list, region, PARTS_WORK_TOTAL, &entry->spread);

	*entry = (struct entry){.region = region, .is_rest = is_rest, .spread = entry->spread};
	entry->is_work = entry->spread.sum > 0;
	if (status == KYMO_OK && !entry->is_work && (is_rest || list->report->options.filter))
		status = imbalance_measure(list, region, PARTS_TOTAL, &entry->spread);
	if (status < 0 || entry->spread.sum <= 0)
		return status;
	entry->cost_ns = entry->spread.max * (double)entry->spread.count - entry->spread.sum;
	list->has_times |= !entry->is_work && !is_rest;
	list->rest_count += is_rest;
	list->count++;
	return KYMO_OK;
}

static enum kymo_status imbalance_add_regions(struct list *list, const bool *marks)
{
	enum kymo_status status;

	list->entries = calloc((size_t)list->report->regions->count + 1, sizeof(*list->entries));
	if (!list->entries)
		return KYMO_MEMORY;
	status = spread_add_marked(list->report, list->parts, marks, imbalance_add_region, list);
	if (list->count > 0)
		qsort(list->entries, list->count, sizeof(*list->entries), imbalance_by_cost);
	return status;
}

static void imbalance_write(const struct report *report, struct list *list, const bool *marks,
			    bool is_for_people)
{
	struct table table = {
		.columns = is_for_people ? people_columns : program_columns,
		.column_count =
			is_for_people ? COUNT_OF(people_columns) : COUNT_OF(program_columns),
		.row_count = report_rows_and_rest(report, list->count, list->rest_count),
		.context = list,
		.cell = imbalance_cell,
	};
	size_t count = parts_group_count(list->parts, list->by);

	report_write_table(report, &table, "imbalance", true);
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
	bool is_for_people = report_form_is_for_people(report->options.form);
	struct list list = {
		.report = report,
		.parts = parts,
		.order = is_for_people ? people_order : program_order,
	};
	enum kymo_status status = spread_group(report, parts, &list.by, problem);

	if (status < 0)
		return status;
	status = imbalance_add_regions(&list, marks);
	if (status == KYMO_OK)
		imbalance_write(report, &list, marks, is_for_people);
	else
		problem_set(problem, status, "out of memory");
	free(list.entries);
	return status;
}

enum kymo_status report_imbalance(const struct report *report, struct problem *problem)
{
	return spread_show_filtered(report, imbalance_report_parts, problem);
}
