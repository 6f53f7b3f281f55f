/* How the time of a region is distributed: how many ranks, processes, threads or runs have how much
 * of it. */
#include <math.h>

#include "command/xalloc.h"
#include "model/profile/name_filter.h"
#include "model/parts/parts_spread.h"
#include "report/views/report_spread.h"
#include "report/views/report_text.h"

struct histogram {
	size_t *counts; /* per bin */
	size_t bins, largest;
	double low_ns, width_ns;
	char text[SPREAD_BAR_MAX + 1];
};

/* A row is the count of a bin. */
static double histogram_from_ns(const struct histogram *histogram, const void *row)
{
	return histogram->low_ns +
	       (double)((const size_t *)row - histogram->counts) * histogram->width_ns;
}

static struct table_cell histogram_from(const struct table_item *item)
{
	return table_ns(histogram_from_ns(item->view, item->row));
}

static struct table_cell histogram_to(const struct table_item *item)
{
	const struct histogram *histogram = item->view;

	return table_ns(histogram_from_ns(histogram, item->row) + histogram->width_ns);
}

static struct table_cell histogram_bar(const struct table_item *item)
{
	struct histogram *histogram = item->view;

	return table_text(spread_bar((double)*(const size_t *)item->row, (double)histogram->largest,
				     histogram->text));
}

static struct table_cell histogram_count(const struct table_item *item)
{
	return (struct table_cell){.count = *(const size_t *)item->row};
}

static const struct table_column columns[] = {
	{"FROM", "from", TABLE_DURATION, TABLE_ALL, .get = histogram_from},
	{"TO", "to", TABLE_DURATION, TABLE_ALL, .get = histogram_to},
	{"", "bar", TABLE_TEXT, TABLE_PEOPLE, .get = histogram_bar},
	{"COUNT", "count", TABLE_COUNT, TABLE_ALL, .get = histogram_count},
};

/* Sturges: as many as a binomial distribution of that many values has. */
static size_t bins_for(size_t count)
{
	return count > 1 ? 1 + (size_t)ceil(log2((double)count)) : 1;
}

static void histogram_fill(struct histogram *histogram, const struct parts_spread *spread,
			   uint64_t bins)
{
	histogram->bins = bins ? (size_t)bins : bins_for(spread->count);
	if (spread->max <= spread->min) /* all are equal: a single bin */
		histogram->bins = 1;
	histogram->counts = xcalloc(histogram->bins, sizeof(*histogram->counts));
	histogram->low_ns = spread->min;
	histogram->width_ns = (spread->max - spread->min) / (double)histogram->bins;
	for (size_t i = 0; i < spread->count; i++) {
		double place = histogram->width_ns > 0
				       ? (spread->values[i] - spread->min) / histogram->width_ns
				       : 0;
		size_t bin = (size_t)place;

		/* The last bin includes its upper bound. */
		if (bin >= histogram->bins)
			bin = histogram->bins - 1;
		if (histogram->largest < ++histogram->counts[bin])
			histogram->largest = histogram->counts[bin];
	}
}

static void histogram_write(const struct report *report, struct histogram *histogram,
			    struct spread_table *summary)
{
	struct table table = {
		TABLE_COLUMNS(columns),
		TABLE_ROWS(histogram->counts, histogram->bins),
		.view = histogram,
	};
	struct table spread = spread_table_of(summary);
	const struct report_table tables[] = {{&table, "bins", ""}, {&spread, "spread", ""}};
	size_t count = summary->spread->count;

	report_write_tables(report, tables, report->options.form == REPORT_JSON ? 2 : 1, false);
	report_write_remark(report, "\n%zu %s", count, spread_noun(summary->by, count));
	spread_remark(report, summary->parts, summary->by, summary->spread);
}

static enum kymo_status histogram_report_parts(const struct report *report,
					       const struct parts *parts, const bool *marks,
					       struct problem *problem)
{
	struct histogram histogram = {0};
	struct parts_spread spread;
	struct spread_table summary = {.parts = parts, .spread = &spread};
	enum kymo_status status = spread_group(report, parts, &summary.by, problem);

	if (status < 0)
		return status;
	xneed(parts_spread_sum(parts, marks, report->regions->count, summary.by, true, &spread) ==
	      KYMO_OK);
	histogram_fill(&histogram, &spread, report->options.bins);
	histogram_write(report, &histogram, &summary);
	parts_spread_release(&spread);
	return KYMO_OK;
}

enum kymo_status report_histogram(const struct report *report, const char *name,
				  struct problem *problem)
{
	bool *marks;
	enum kymo_status status = name_find(report->regions, name, &marks, problem);

	return status < 0 ? status : spread_show(report, marks, histogram_report_parts, problem);
}
