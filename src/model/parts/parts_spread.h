/* How a region's time is distributed over threads, processes, ranks or runs. */
#ifndef KYMO_PARTS_SPREAD_H
#define KYMO_PARTS_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/parts/parts_types.h"

/* Of one region: a value for each group of parts, those without any included. */
struct parts_spread {
	size_t count;
	double *values; /* nanoseconds, in the order of the groups */
	double sum, min, max, mean, deviation, median;
	size_t min_at, max_at;
	double imbalance; /* max / mean - 1: the part of the mean that the others wait; 0 = even */
	double low, high; /* 95 % interval of the mean, by Student's t; NAN = fewer than two */
};

/* Which time. */
enum parts_time { PARTS_SELF, PARTS_TOTAL, PARTS_WORK, PARTS_WORK_TOTAL };

/* By rank, the group without a rank has a value only if it has time in the region. */
enum kymo_status parts_spread_new(const struct parts *parts, uint32_t region, enum parts_by by,
				  enum parts_time time, struct parts_spread *out);
/* Likewise of the sum over all regions whose mark is set. */
enum kymo_status parts_spread_sum(const struct parts *parts, const bool *marks,
				  uint32_t region_count, enum parts_by by, enum parts_time time,
				  struct parts_spread *out);
/* Without the value of the group that has no rank, if there is one. */
enum kymo_status parts_spread_ranked(const struct parts *parts, struct parts_spread *spread);
void parts_spread_release(struct parts_spread *spread);

#endif
