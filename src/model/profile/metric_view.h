/* One metric of the rows of a profile, in the units it is shown in.
 *
 * Which columns a metric has, its unit, decimals and widths follow from the metric and
 * the settings (TIMING_*, MEMORY_*, PRECISION, WIDTH, SCIENTIFIC).  Borrows the rows. */
#ifndef KYMO_METRIC_VIEW_H
#define KYMO_METRIC_VIEW_H

#include <stdio.h>

#include "config/settings.h"
#include "format/metric.h"
#include "model/profile/rows.h"

/* Flat and merged as the settings say. */
struct rows_options rows_options_from(const struct settings *settings);

enum metric_source {
	METRIC_FROM_ROW,   /* wall_clock */
	METRIC_FROM_COUNT, /* trip_count */
	METRIC_FROM_BLOCK, /* recorded behind the nodes */
	METRIC_DERIVED,	   /* CPU time / wall time */
};

struct metric_view {
	const struct metric_info *info;
	const struct rows *rows;
	enum metric_source source;
	unsigned int block; /* FROM_BLOCK, DERIVED: which of rows->metrics */
	double scale;	    /* shown = stored * scale */
	const char *unit;   /* "" = none */
	int precision, width;
	bool is_scientific;
};

struct metric_value { /* of one row, in the view's unit */
	uint64_t count;
	double sum, mean;
	double self; /* what the row's callees do not account for */
	double self_percent;
	bool has_sum;
	bool has_visits; /* the rest is known */
	double min, max, sum_squares, variance, deviation;
};

/* Fails, naming the metrics there are, when the rows do not hold it. */
enum kymo_status metric_view_init(struct metric_view *view, const struct rows *rows,
				  const char *name, const struct settings *settings,
				  struct problem *problem);

void metric_view_value(const struct metric_view *view, size_t row, struct metric_value *out);

/* Whether the rows hold the metric, or what it is derived from. */
bool metric_is_held(const struct rows *rows, enum kymo_metric metric);

/* What writes all call paths where outputs leave some out. */
#define METRIC_WHOLE "kymo finish --all RUN"

/* Of rows that are not all, each says so.  Rows end early where the stream has failed. */

#endif
