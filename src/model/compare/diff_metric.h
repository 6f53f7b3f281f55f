/* A recorded metric of both sides, region by region: what conditions compare besides times
 * and counts. */
#ifndef KYMO_DIFF_METRIC_H
#define KYMO_DIFF_METRIC_H

#include "model/compare/diff.h"

struct diff_metric {
	struct moments *regions[DIFF_SIDES]; /* by number in the diff, over the loaded runs */
	struct moments run[DIFF_SIDES];	     /* of the whole runs */
};

/* In the metric's unit.  Metrics that accumulate are the sum of outermost visits, of a merged
 * run its mean per run; levels and peaks are the largest value.  Fails if a side has not
 * recorded it. */
enum kymo_status diff_metric_new(const struct diff *diff, uint32_t metric, struct diff_metric **out,
				 struct problem *problem);
void diff_metric_free(struct diff_metric *metric);

#endif
