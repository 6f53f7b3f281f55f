/* The flat report of samples: one row a region with the share of the time that it was seen
 * in, and how sure that is.  Where that is CPU time, what the region waited stands beside it. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile/sample_shares.h"
#include "model/samples/sampled_threads.h"
#include "report/views/report_flat.h"
#include "report/views/report_text.h"

enum sampled_column {
	SAMPLED_PERCENT,
	SAMPLED_INTERVAL,
	SAMPLED_SELF,
	SAMPLED_TOTAL,
	SAMPLED_TOTAL_PERCENT,
	SAMPLED_WAITED,
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

static const struct table_column cpu_columns[] = {
	{"% CPU", "self_percent", TABLE_PERCENT, 1, 0, false},
	{"95 % SURE", "self_interval", TABLE_TEXT, 0, 0, false},
	{"CPU", "self", TABLE_DURATION, 0, 0, false},
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"% TOTAL", "total_percent", TABLE_PERCENT, 1, 0, false},
	{"WAITED", "waited", TABLE_DURATION, 0, 0, false},
	{"REGION", "region", TABLE_TEXT, 0, 0, false},
};
static const enum sampled_column cpu_order[] = {
	SAMPLED_PERCENT,       SAMPLED_INTERVAL, SAMPLED_SELF,	 SAMPLED_TOTAL,
	SAMPLED_TOTAL_PERCENT, SAMPLED_WAITED,	 SAMPLED_REGION,
};

static const struct table_column program_columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, 1, 0, false},
	{"LOW", "self_low_percent", TABLE_PERCENT, 1, 0, false},
	{"HIGH", "self_high_percent", TABLE_PERCENT, 1, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"% TOTAL", "total_percent", TABLE_PERCENT, 1, 0, false},
	{"WAITED", "waited", TABLE_DURATION, 0, 0, false},
	{"SAMPLES", "samples", TABLE_COUNT, 0, 0, false},
	{"NAME", "name", TABLE_TEXT, 0, 0, false},
	{"MODULE", "module", TABLE_TEXT, 0, 0, false},
	{"FILE", "file", TABLE_TEXT, 0, 0, false},
	{"LINE", "line", TABLE_ID, 0, 0, false},
};
static const enum sampled_column program_order[] = {
	SAMPLED_PERCENT, SAMPLED_LOW,		SAMPLED_HIGH,	SAMPLED_SELF,
	SAMPLED_TOTAL,	 SAMPLED_TOTAL_PERCENT, SAMPLED_WAITED, SAMPLED_COUNT,
	SAMPLED_NAME,	 SAMPLED_MODULE,	SAMPLED_FILE,	SAMPLED_LINE,
};

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

struct sampled_table {
	const struct report *report;
	const struct flat_view *view;
	struct sample_shares shares;
	double *waits;	/* seconds, by region of the union */
	uint32_t *rows; /* entries in the order of the table */
	const enum sampled_column *order;
	struct report_interval interval;
	char text[REPORT_NAME_MAX];
};

static struct table_cell sampled_text_cell(const char *text)
{
	return (struct table_cell){.is_missing = !text, .text = text};
}

/* The threads that are one region are counted for people: "[9 idle threads]". */
static struct table_cell sampled_region_cell(struct sampled_table *table,
					     const struct region *region, bool has_place)
{
	if (has_place && table->shares.idle_thread_count > 0 &&
	    strcmp(region->name, SAMPLED_IDLE_THREADS) == 0) {
		snprintf(table->text, sizeof(table->text), "[%u idle thread%s]",
			 table->shares.idle_thread_count,
			 table->shares.idle_thread_count == 1 ? "" : "s");
		return sampled_text_cell(table->text);
	}
	return report_name_cell(region, has_place, table->text);
}

static struct table_cell sampled_cell(void *context, size_t row, unsigned int column)
{
	struct sampled_table *table = context;
	const struct flat_view *view = table->view;
	const struct flat_entry *entry = &view->entries[table->rows[row]];
	const struct region *region = view->regions->regions[entry->region];

	report_interval(table->report, entry->self_ns, view->base.whole_ns, &table->interval);
	switch (table->order[column]) {
	case SAMPLED_PERCENT:
		return table_percent(entry->self_ns, view->base.whole_ns);
	case SAMPLED_INTERVAL:
		return sampled_text_cell(table->interval.text);
	case SAMPLED_LOW:
		return table_percent(table->interval.share.low, 1);
	case SAMPLED_HIGH:
		return table_percent(table->interval.share.high, 1);
	case SAMPLED_SELF:
		return (struct table_cell){.number = entry->self_ns * 1e-9};
	case SAMPLED_TOTAL:
		return (struct table_cell){.number = entry->total_ns * 1e-9};
	case SAMPLED_TOTAL_PERCENT:
		return table_percent(entry->total_ns, view->base.whole_ns);
	case SAMPLED_WAITED:
		return (struct table_cell){.is_missing = !table->shares.has_wall,
					   .number = table->waits[entry->region]};
	case SAMPLED_COUNT:
		return (struct table_cell){.count = entry->primitive_calls};
	case SAMPLED_REGION:
	case SAMPLED_NAME:
		return sampled_region_cell(table, region, table->order[column] == SAMPLED_REGION);
	case SAMPLED_MODULE:
		return sampled_text_cell(region->module);
	case SAMPLED_FILE:
		return sampled_text_cell(region->file);
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

/* Of two that have as much CPU time, mostly none, the one that waited longer comes first. */
static int by_self_and_wait(const void *left, const void *right, void *context)
{
	const struct sampled_table *table = context;
	uint32_t first = *(const uint32_t *)left, second = *(const uint32_t *)right;
	const struct flat_entry *a = &table->view->entries[first];
	const struct flat_entry *b = &table->view->entries[second];
	double more = table->waits[a->region], other = table->waits[b->region];

	if (a->self_ns != b->self_ns)
		return a->self_ns > b->self_ns ? -1 : 1;
	if (more != other)
		return more > other ? -1 : 1;
	return first < second ? -1 : 1;
}

static bool find_order(struct sampled_table *table)
{
	size_t count = table->view->count;

	table->rows = calloc(count + 1, sizeof(*table->rows));
	if (!table->rows)
		return false;
	for (size_t i = 0; i < count; i++)
		table->rows[i] = (uint32_t)i;
	if (count > 1 && table->report->options.order == ORDER_SELF)
		qsort_r(table->rows, count, sizeof(*table->rows), by_self_and_wait, table);
	return true;
}

static void set_columns(struct table *table, struct sampled_table *context)
{
	if (!report_form_is_for_people(context->report->options.form)) {
		table->columns = program_columns;
		table->column_count = COUNT_OF(program_columns);
		context->order = program_order;
	} else if (context->shares.weight == SAMPLED_BY_CPU && context->shares.has_wall) {
		table->columns = cpu_columns;
		table->column_count = COUNT_OF(cpu_columns);
		context->order = cpu_order;
	} else {
		table->columns = people_columns;
		table->column_count = COUNT_OF(people_columns);
		context->order = people_order;
	}
}

static void write_sampled(const struct report *report, struct sampled_table *context)
{
	const size_t count = context->view->count;
	struct table table = {
		.context = context,
		.cell = sampled_cell,
		.row_count = report_row_count(report, count),
	};

	set_columns(&table, context);
	report_write_table(report, &table, "regions", true);
	report_remark_empty(report, count, 0, "region");
	report_remark_rest(report, count, "region");
}

enum kymo_status report_sampled(const struct report *report, struct problem *problem)
{
	struct report own = *report;
	struct sampled_table context = {.report = &own};
	struct flat_view *view = NULL;
	enum kymo_status status = report_flat_view(report, &view, problem);

	if (status < 0)
		return status;
	own.effective_count =
		sampled_effective_count(report->loaded->trees, report->loaded->tree_count);
	context.view = view;
	sample_shares_of(report->loaded, &context.shares);
	context.waits = sample_waits_of(report->loaded, report->regions, report->options.thread);
	if (context.waits && find_order(&context))
		write_sampled(&own, &context);
	else
		status = KYMO_MEMORY;
	if (status < 0 && problem)
		problem_set(problem, status, "out of memory");
	free(context.rows);
	free(context.waits);
	flat_view_free(view);
	return status;
}
