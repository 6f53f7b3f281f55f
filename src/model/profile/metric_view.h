/* One metric of the rows of a profile, in display units.
 *
 * The columns of a metric, its unit, decimals and widths follow from the metric and the settings
 * (TIMING_*, MEMORY_*, PRECISION, WIDTH, SCIENTIFIC).  Borrows the rows. */
#ifndef KYMO_METRIC_VIEW_H
#define KYMO_METRIC_VIEW_H

#include <stdio.h>

#include "config/settings.h"
#include "format/metric.h"
#include "model/profile/rows.h"

/* Flat and merged as the settings specify. */
struct rows_options rows_options_from(const struct settings *settings);

enum metric_source {
	METRIC_FROM_ROW,   /* wall_clock */
	METRIC_FROM_COUNT, /* trip_count */
	METRIC_FROM_BLOCK, /* recorded after the nodes */
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
	bool is_sampled; /* times of sampled positions: nothing is known of single visits */
};

struct metric_value { /* of one row, in the view's unit */
	uint64_t count;
	double sum, mean;
	double self; /* without the row's callees */
	double self_percent;
	bool has_sum;
	bool has_visits; /* the other fields are known */
	double min, max, sum_squares, variance, deviation;
};

/* Fails, listing the available metrics, if the rows do not have it. */
enum kymo_status metric_view_init(struct metric_view *view, const struct rows *rows,
				  const char *name, const struct settings *settings,
				  struct problem *problem);

void metric_view_value(const struct metric_view *view, size_t row, struct metric_value *out);

/* Whether the rows have the metric, or what it is derived from. */
bool metric_is_held(const struct rows *rows, enum kymo_metric metric);

/* The command that writes all call paths if outputs leave some out. */
#define METRIC_WHOLE "kymo finish --all RUN"

/* If rows are left out, each output notes that.  Rows end early if the stream has failed. */

#endif
