/* A series of numbers for the page: its points while they are few, else minimum, maximum and mean
 * of equal steps of time, at several levels of detail.
 *
 * Memory is bounded by the number of steps, not of points.  One thread. */
#ifndef KYMO_TIMELINE_SERIES_H
#define KYMO_TIMELINE_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/textbuf.h"

#define SERIES_POINTS	4096u /* more than these are shown as steps */
#define SERIES_STEPS	8192u /* of the finest level, at most; coarser: an eighth each */
#define SERIES_COARSEST 128u

struct series_step {
	float min, max;
	double sum;
	uint64_t count;
};

struct series_point {
	uint64_t ns;
	float value;
};

struct timeline_series {
	uint64_t span_ns;
	uint32_t step_count;
	struct series_point *points; /* NULL = steps */
	struct series_step *steps;   /* NULL = points */
	size_t capacity;
	uint64_t count; /* of points added */
	double min, max;
};

/* step_count: SERIES_COARSEST times a power of eight. */
void timeline_series_init(struct timeline_series *series, uint64_t span_ns, uint32_t step_count);
void timeline_series_release(struct timeline_series *series);
/* Points that are not numbers are left out. */
void timeline_series_add(struct timeline_series *series, uint64_t ns, double value);

/* Size in the page, at most. */
uint64_t timeline_series_bytes(const struct timeline_series *series);

/* Number of points; their times as differences and their values; or 0, the number of steps of the
 * finest level and for each level minimum, maximum and mean of each step, coarser levels with an
 * eighth of the steps, down to SERIES_COARSEST.  Values are floats of four bytes, the lowest first;
 * of a step without points they are NaN. */
void timeline_series_write(struct timeline_series *series, struct textbuf *bytes);

#endif
