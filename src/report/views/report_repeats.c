/* Runs that were repeated and merged: what a region takes in one of them, and how sure that
 * is. */
#include <math.h>
#include <stdlib.h>

#include "report/views/report_spread.h"
#include "model/parts/parts_spread.h"
#include "report/views/report_text.h"

static const struct table_column columns[] = {
	{"SELF", "self_mean", TABLE_DURATION, 0, 0, false},
	{"DEVIATION", "self_deviation", TABLE_DURATION, 0, 0, false},
	{"95 % FROM", "self_low", TABLE_DURATION, 0, 0, false},
	{"TO", "self_high", TABLE_DURATION, 0, 0, false},
	{"TOTAL", "total_mean", TABLE_DURATION, 0, 0, false},
	{"DEVIATION", "total_deviation", TABLE_DURATION, 0, 0, false},
	{"REGION", "region", TABLE_TEXT, 0, 0, false},
	/* Only where a program reads the table: */
	{"95 % FROM", "total_low", TABLE_DURATION, 0, 0, false},
	{"TO", "total_high", TABLE_DURATION, 0, 0, false},
	{"RUNS", "runs", TABLE_COUNT, 0, 0, false},
	{"PLACE", "place", TABLE_TEXT, 0, 0, false},
};
#define PEOPLE_COLUMNS	7
#define PROGRAM_COLUMNS 11

struct entry {
	uint32_t region;
	struct parts_spread self, total; /* without their values */
};

struct list {
	const struct report *report;
	const struct parts *parts;
	struct entry *entries;
	size_t count, rest_count; /* with what is in no region, which comes last */
	bool is_for_people;
	char text[REPORT_NAME_MAX];
};

static struct table_cell repeats_time_cell(double ns)
{
	return (struct table_cell){.is_missing = isnan(ns), .number = ns * 1e-9};
}

static struct table_cell repeats_region_cell(struct list *list, uint32_t number, bool is_place)
{
	const struct region *region = list->report->regions->regions[number];

	return is_place ? report_place_cell(region, list->text)
			: report_name_cell(region, list->is_for_people, list->text);
}

static struct table_cell repeats_cell(void *context, size_t row, unsigned int column)
{
	struct list *list = context;
	const struct entry *entry =
		&list->entries[report_entry_at(list->report, list->count, list->rest_count, row)];

	switch (column) {
	case 0:
		return repeats_time_cell(entry->self.mean);
	case 1:
		return repeats_time_cell(entry->self.deviation);
	case 2:
		return repeats_time_cell(fmax(0, entry->self.low));
	case 3:
		return repeats_time_cell(entry->self.high);
	case 4:
		return repeats_time_cell(entry->total.mean);
	case 5:
		return repeats_time_cell(entry->total.deviation);
	case 6:
		return repeats_region_cell(list, entry->region, false);
	case 7:
		return repeats_time_cell(fmax(0, entry->total.low));
	case 8:
		return repeats_time_cell(entry->total.high);
	case 9:
		return (struct table_cell){.count = entry->self.count};
	default:
		return repeats_region_cell(list, entry->region, true);
	}
}

static bool is_no_region(const struct list *list, uint32_t region)
{
	return list->report->regions->regions[region]->kind == KYMO_REGION_ROOT;
}

static int repeats_compare(const void *left, const void *right, void *context)
{
	const struct list *list = context;
	const struct entry *a = left, *b = right;
	bool is_rest = is_no_region(list, a->region), is_other = is_no_region(list, b->region);
	bool is_total = list->report->options.order == ORDER_TOTAL;
	double first = is_total ? a->total.mean : a->self.mean;
	double second = is_total ? b->total.mean : b->self.mean;

	if (is_rest != is_other)
		return is_rest ? 1 : -1;
	if (first != second)
		return first < second ? 1 : -1;
	return (a->region > b->region) - (a->region < b->region);
}

static enum kymo_status repeats_add_region(void *context, uint32_t region)
{
	struct list *list = context;
	struct entry *entry = &list->entries[list->count];
	enum kymo_status status =
		parts_spread_new(list->parts, region, PARTS_BY_RUN, PARTS_SELF, &entry->self);

	if (status < 0)
		return status;
	free(entry->self.values);
	status = parts_spread_new(list->parts, region, PARTS_BY_RUN, PARTS_TOTAL, &entry->total);
	if (status < 0)
		return status;
	free(entry->total.values);
	entry->region = region;
	list->rest_count += is_no_region(list, region);
	list->count++;
	return KYMO_OK;
}

static enum kymo_status repeats_add_regions(struct list *list, const bool *marks)
{
	enum kymo_status status;

	list->entries = calloc((size_t)list->report->regions->count + 1, sizeof(*list->entries));
	if (!list->entries)
		return KYMO_MEMORY;
	status = spread_add_marked(list->report, list->parts, marks, repeats_add_region, list);
	if (list->count > 0)
		qsort_r(list->entries, list->count, sizeof(*list->entries), repeats_compare, list);
	return status;
}

static enum kymo_status repeats_report_parts(const struct report *report, const struct parts *parts,
					     const bool *marks, struct problem *problem)
{
	struct list list = {
		.report = report,
		.parts = parts,
		.is_for_people = report_form_is_for_people(report->options.form),
	};
	struct table table = {
		.columns = columns,
		.column_count = list.is_for_people ? PEOPLE_COLUMNS : PROGRAM_COLUMNS,
		.context = &list,
		.cell = repeats_cell,
	};
	enum kymo_status status;

	if (parts->run_count < 2)
		return problem_set(problem, KYMO_USAGE,
				   "this is one run: 'kymo merge RUN RUN... -o ALL' makes one of "
				   "repeated ones, which --repeats compares");
	status = repeats_add_regions(&list, marks);
	if (status == KYMO_OK) {
		table.row_count = report_rows_and_rest(report, list.count, list.rest_count);
		report_write_table(report, &table, "repeats", true);
		spread_remark_unmatched(report, parts, marks);
		report_remark_rest(report, list.count - list.rest_count, "region");
		report_write_remark(report, "times are means of %zu runs", parts->run_count);
	} else {
		problem_set(problem, status, "out of memory");
	}
	free(list.entries);
	return status;
}

enum kymo_status report_repeats(const struct report *report, struct problem *problem)
{
	return spread_show_filtered(report, repeats_report_parts, problem);
}
