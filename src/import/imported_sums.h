/* Sums over what was imported: whole nanoseconds, callees included, and the span of time.
 *
 * Weights are kept as they came and rounded here: what rounding takes from one call path the next
 * one of the same function gets, so that functions keep their sums. */
#ifndef KYMO_IMPORTED_SUMS_H
#define KYMO_IMPORTED_SUMS_H

#include "import/imported.h"

struct imported_sum {	   /* of a node */
	uint64_t handle;   /* the writer's */
	uint64_t self_ns;  /* whole */
	uint64_t total_ns; /* with its children */
	uint64_t count;	   /* of sampled threads with its children */
};

struct imported_sums {
	struct imported_sum *nodes;
	/* Rows of metric_count, counts and sums with children as above; NULL = no metrics. */
	struct imported_amount *metrics;
	/* Nodes by process: those of process p are at first[p] up to first[p + 1]. */
	uint32_t *by_process;
	size_t *first;
	int64_t origin_ns; /* the earliest moment */
	uint64_t duration_ns;
};

/* KYMO_OK or KYMO_MEMORY; to be released either way. */
enum kymo_status imported_sums_init(struct imported_sums *sums, const struct imported *imported);
void imported_sums_release(struct imported_sums *sums);

#endif
