/* Sums over imported data: whole nanoseconds, callees included, and the span of time.
 *
 * Weights are stored unrounded and rounded here: the rounding error of one call path is carried to
 * the next one of the same function, so that sums of functions are exact. */
#ifndef KYMO_IMPORTED_SUMS_H
#define KYMO_IMPORTED_SUMS_H

#include "import/imported.h"

struct imported_sum {	   /* of a node */
	uint64_t handle;   /* the writer's */
	uint64_t self_ns;  /* whole */
	uint64_t total_ns; /* including its children */
	uint64_t count;	   /* of sampled threads including its children */
};

struct imported_sums {
	struct imported_sum *nodes;
	/* Rows of metric_count, counts and sums including children as above; NULL = no metrics. */
	struct imported_amount *metrics;
	/* Nodes by process: those of process p are at first[p] up to first[p + 1]. */
	uint32_t *by_process;
	size_t *first;
	int64_t origin_ns; /* the earliest time */
	uint64_t duration_ns;
};

/* KYMO_OK or KYMO_MEMORY; must be released in either case. */
enum kymo_status imported_sums_init(struct imported_sums *sums, const struct imported *imported);
void imported_sums_release(struct imported_sums *sums);

#endif
