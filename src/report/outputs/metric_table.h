/* A metric as a table: label, count, depth and the metric's own columns. */
#ifndef KYMO_METRIC_TABLE_H
#define KYMO_METRIC_TABLE_H

#include <stdio.h>

#include "model/profile/metric_view.h"

enum metric_form { METRIC_BOXED, METRIC_CSV, METRIC_MARKDOWN };

/* A table; the boxed one is that of timemory's text outputs.  Labels are cut after label_limit
 * characters, 0 = no limit. */
void metric_write_table(const struct metric_view *view, enum metric_form form,
			unsigned int label_limit, FILE *out);

#endif
