/* The flat report of samples: one row per region with its share of the time, and the confidence
 * interval.  If that is CPU time, a further column has the region's waits. */
#include "report/views/report_sampled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/xalloc.h"
#include "model/profile/sample_shares.h"
#include "model/samples/sampled_threads.h"
#include "report/views/report_flat.h"
#include "report/tables/table_sort.h"
#include "report/views/report_text.h"

#define SAMPLED_WALL TABLE_PEOPLE
#define SAMPLED_CPU  TABLE_OTHERS /* people, if CPU time is the weight */

struct sampled_table {
	struct region_texts texts;
	const struct report *report;
	const struct flat_view *view;
	struct sample_shares shares;
	double *waits; /* seconds, by region of the union */
};

static struct report_interval sampled_interval_of(const struct table_item *item)
{
	const struct sampled_table *table = item->view;
	struct report_interval interval;

	report_interval(table->report, ((const struct flat_entry *)item->row)->self_ns,
			table->view->base.whole_ns, &interval);
	return interval;
}

static struct table_cell sampled_sure(const struct table_item *item)
{
	struct sampled_table *table = item->view;
	struct report_interval interval = sampled_interval_of(item);

	memcpy(table->texts.text, interval.text, sizeof(interval.text));
	return table_text(table->texts.text);
}

static struct table_cell sampled_low(const struct table_item *item)
{
	return table_percent(sampled_interval_of(item).share.low, 1);
}

static struct table_cell sampled_high(const struct table_item *item)
{
	return table_percent(sampled_interval_of(item).share.high, 1);
}

/* The member as a part of all time. */
static struct table_cell sampled_percent(const struct table_item *item)
{
	const struct sampled_table *table = item->view;
	const double *part = table_member(item);

	return table_percent(*part, table->view->base.whole_ns);
}

static struct table_cell sampled_waited(const struct table_item *item)
{
	const struct sampled_table *table = item->view;
	uint32_t region = ((const struct flat_entry *)item->row)->region;

	return (struct table_cell){.is_missing = !table->shares.has_wall,
				   .number = table->waits[region]};
}

/* For people, the threads folded into one region are counted: "[9 idle threads]". */
static struct table_cell sampled_region(const struct table_item *item)
{
	struct sampled_table *table = item->view;
	unsigned int idle = table->shares.idle_thread_count;

	if (idle == 0 || strcmp(table_region_of(item)->name, SAMPLED_IDLE_THREADS) != 0)
		return table_get_region(item);
	snprintf(table->texts.text, sizeof(table->texts.text), "[%u idle thread%s]", idle,
		 idle == 1 ? "" : "s");
	return table_text(table->texts.text);
}

#define SAMPLED_FIELD(member)	TABLE_FIELD(struct flat_entry, member)
#define SAMPLED_PERCENT(member) TABLE_MEMBER(sampled_percent, struct flat_entry, member)
#define SAMPLED_REGION(getter)	TABLE_REGION(getter, struct flat_entry, region)

static const struct table_column columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, SAMPLED_WALL | TABLE_PROGRAMS,
	 SAMPLED_PERCENT(self_ns)},
	{"% CPU", "self_percent", TABLE_PERCENT, SAMPLED_CPU, SAMPLED_PERCENT(self_ns)},
	{"95 % SURE", "self_interval", TABLE_TEXT, SAMPLED_WALL | SAMPLED_CPU, .get = sampled_sure},
	{"LOW", "self_low_percent", TABLE_PERCENT, TABLE_PROGRAMS, .get = sampled_low},
	{"HIGH", "self_high_percent", TABLE_PERCENT, TABLE_PROGRAMS, .get = sampled_high},
	{"SELF", "self", TABLE_DURATION, SAMPLED_WALL | TABLE_PROGRAMS, SAMPLED_FIELD(self_ns)},
	{"CPU", "self", TABLE_DURATION, SAMPLED_CPU, SAMPLED_FIELD(self_ns)},
	{"TOTAL", "total", TABLE_DURATION, TABLE_ALL | SAMPLED_CPU, SAMPLED_FIELD(total_ns)},
	{"% TOTAL", "total_percent", TABLE_PERCENT, TABLE_ALL | SAMPLED_CPU,
	 SAMPLED_PERCENT(total_ns)},
	{"WAITED", "waited", TABLE_DURATION, TABLE_PROGRAMS | SAMPLED_CPU, .get = sampled_waited},
	{"SAMPLES", "samples", TABLE_COUNT, SAMPLED_WALL | TABLE_PROGRAMS,
	 SAMPLED_FIELD(primitive_calls)},
	{"REGION", "region", TABLE_TEXT, SAMPLED_WALL | SAMPLED_CPU,
	 SAMPLED_REGION(sampled_region)},
	{"NAME", "name", TABLE_TEXT, TABLE_PROGRAMS, SAMPLED_REGION(table_get_name)},
	{"MODULE", "module", TABLE_TEXT, TABLE_PROGRAMS, SAMPLED_REGION(table_get_module)},
	{"FILE", "file", TABLE_TEXT, TABLE_PROGRAMS, SAMPLED_REGION(table_get_file)},
	{"LINE", "line", TABLE_ID, TABLE_PROGRAMS, SAMPLED_REGION(table_get_region_line)},
};

void report_interval(const struct report *report, double part, double whole,
		     struct report_interval *out)
{
	double share = whole > 0 ? part / whole : 0;

	out->share = sampled_interval(share, report->effective_count);
	snprintf(out->text, sizeof(out->text), "%.1f-%.1f", 100 * out->share.low,
		 100 * out->share.high);
}

/* With equal CPU time, mostly none, the one that waited longer comes first. */
static const char *const sampled_order[] = {"self", "waited", "name", NULL};

static bool sampled_is_by_cpu(const struct sampled_table *table)
{
	return report_form_is_for_people(table->report->options.form) &&
	       table->shares.weight == SAMPLED_BY_CPU && table->shares.has_wall;
}

static void write_sampled(const struct report *report, struct sampled_table *context)
{
	const size_t count = context->view->count;
	struct table table = {
		TABLE_COLUMNS(columns),
		.audience = sampled_is_by_cpu(context) ? SAMPLED_CPU : 0,
		.view = context,
	};

	report_flat_order(report, context->view, &table);
	if (report->options.order == ORDER_SELF)
		table_sort(&table, count, sampled_order);
	table.row_count = report_row_count(report, count);
	report_write_table(report, &table, "regions", true);
	report_remark_empty(report, count, 0, "region");
	report_remark_rest(report, count, "region");
}

enum kymo_status report_sampled(const struct report *report, struct problem *problem)
{
	struct report own = *report;
	struct sampled_table context = {.texts.regions = report->regions, .report = &own};
	struct flat_view *view;
	enum kymo_status status = report_flat_view(report, &view, problem);

	if (status < 0)
		return status;
	own.effective_count =
		sampled_effective_count(report->loaded->trees, report->loaded->tree_count);
	context.view = view;
	sample_shares_of(report->loaded, &context.shares);
	context.waits = sample_waits_of(report->loaded, report->regions, report->options.thread);
	xneed(context.waits != NULL);
	write_sampled(&own, &context);
	free(context.waits);
	flat_view_free(view);
	return KYMO_OK;
}
