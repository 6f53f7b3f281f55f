/* The flat report of samples: one row a region with the share of the time that it was seen
 * in, and how sure that is. */
#include <math.h>
#include <stdlib.h>

#include "report/report.h"

enum sampled_column {
	SAMPLED_PERCENT,
	SAMPLED_INTERVAL,
	SAMPLED_SELF,
	SAMPLED_TOTAL,
	SAMPLED_TOTAL_PERCENT,
	SAMPLED_COUNT,
	SAMPLED_REGION,
	/* Only where a program reads the table: */
	SAMPLED_LOW,
	SAMPLED_HIGH,
	SAMPLED_NAME,
	SAMPLED_MODULE,
	SAMPLED_FILE,
	SAMPLED_LINE,
};

struct sampled_column_row {
	enum sampled_column column;
	struct table_column shape;
};

static const struct table_column people_columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, 1, 0, false},
	{"95 % SURE", "self_interval", TABLE_TEXT, 0, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"% TOTAL", "total_percent", TABLE_PERCENT, 1, 0, false},
	{"SAMPLES", "samples", TABLE_COUNT, 0, 0, false},
	{"REGION", "region", TABLE_TEXT, 0, 0, false},
};
static const enum sampled_column people_order[] = {
	SAMPLED_PERCENT,       SAMPLED_INTERVAL, SAMPLED_SELF,	 SAMPLED_TOTAL,
	SAMPLED_TOTAL_PERCENT, SAMPLED_COUNT,	 SAMPLED_REGION,
};

static const struct table_column program_columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, 1, 0, false},
	{"LOW", "self_low_percent", TABLE_PERCENT, 1, 0, false},
	{"HIGH", "self_high_percent", TABLE_PERCENT, 1, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"% TOTAL", "total_percent", TABLE_PERCENT, 1, 0, false},
	{"SAMPLES", "samples", TABLE_COUNT, 0, 0, false},
	{"NAME", "name", TABLE_TEXT, 0, 0, false},
	{"MODULE", "module", TABLE_TEXT, 0, 0, false},
	{"FILE", "file", TABLE_TEXT, 0, 0, false},
	{"LINE", "line", TABLE_ID, 0, 0, false},
};
static const enum sampled_column program_order[] = {
	SAMPLED_PERCENT, SAMPLED_LOW,		SAMPLED_HIGH,  SAMPLED_SELF,
	SAMPLED_TOTAL,	 SAMPLED_TOTAL_PERCENT, SAMPLED_COUNT, SAMPLED_NAME,
	SAMPLED_MODULE,	 SAMPLED_FILE,		SAMPLED_LINE,
};

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

struct sampled_table {
	const struct report *report;
	const struct flat_view *view;
	const enum sampled_column *order;
	struct report_interval interval;
	char text[REPORT_NAME_MAX];
};

static struct table_cell text_cell(const char *text)
{
	return (struct table_cell){.is_missing = !text, .text = text};
}

static struct table_cell percent_cell(double part, double whole)
{
	return (struct table_cell){.number = whole > 0 ? 100 * part / whole : 0};
}

static struct table_cell region_cell(struct sampled_table *table, const struct region *region,
				     bool has_place)
{
	return report_name_cell(region, has_place, table->text);
}

static struct table_cell sampled_cell(void *context, size_t row, unsigned int column)
{
	struct sampled_table *table = context;
	const struct flat_view *view = table->view;
	const struct flat_entry *entry = &view->entries[row];
	const struct region *region = view->regions->regions[entry->region];

	report_interval(table->report, entry->self_ns, view->self_ns, &table->interval);
	switch (table->order[column]) {
	case SAMPLED_PERCENT:
		return percent_cell(entry->self_ns, view->self_ns);
	case SAMPLED_INTERVAL:
		return text_cell(table->interval.text);
	case SAMPLED_LOW:
		return percent_cell(table->interval.share.low, 1);
	case SAMPLED_HIGH:
		return percent_cell(table->interval.share.high, 1);
	case SAMPLED_SELF:
		return (struct table_cell){.number = entry->self_ns * 1e-9};
	case SAMPLED_TOTAL:
		return (struct table_cell){.number = entry->total_ns * 1e-9};
	case SAMPLED_TOTAL_PERCENT:
		return percent_cell(entry->total_ns, view->self_ns);
	case SAMPLED_COUNT:
		return (struct table_cell){.count = entry->primitive_calls};
	case SAMPLED_REGION:
	case SAMPLED_NAME:
		return region_cell(table, region, table->order[column] == SAMPLED_REGION);
	case SAMPLED_MODULE:
		return text_cell(region->module);
	case SAMPLED_FILE:
		return text_cell(region->file);
	case SAMPLED_LINE:
		return (struct table_cell){.is_missing = !region->line, .count = region->line};
	}
	return (struct table_cell){.is_missing = true};
}

void report_interval(const struct report *report, double part, double whole,
		     struct report_interval *out)
{
	double share = whole > 0 ? part / whole : 0;

	out->share = sampled_interval(share, report->effective_count);
	snprintf(out->text, sizeof(out->text), "%.1f-%.1f", 100 * out->share.low,
		 100 * out->share.high);
}

enum kymo_status report_sampled(const struct report *report, struct problem *problem)
{
	bool is_for_people = report_form_is_for_people(report->options.form);
	struct report own = *report;
	struct sampled_table context = {
		.report = &own,
		.order = is_for_people ? people_order : program_order,
	};
	struct table table = {
		.columns = is_for_people ? people_columns : program_columns,
		.column_count =
			is_for_people ? COUNT_OF(people_columns) : COUNT_OF(program_columns),
		.context = &context,
		.cell = sampled_cell,
	};
	struct flat_view *view = NULL;
	enum kymo_status status = report_flat_view(report, &view, problem);

	if (status < 0)
		return status;
	own.effective_count =
		sampled_effective_count(report->loaded->trees, report->loaded->tree_count);
	context.view = view;
	table.row_count = report_row_count(report, view->count);
	report_write_table(report, &table, "regions", true);
	if (view->count == 0)
		report_write_remark(report, "(no samples were taken)");
	report_remark_rest(report, view->count, "region");
	flat_view_free(view);
	return KYMO_OK;
}
