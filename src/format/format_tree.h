/* Call-path trees: nodes, and their metrics. */
#ifndef KYMO_FORMAT_TREE_H
#define KYMO_FORMAT_TREE_H

#include <stdint.h>

/* NODES payload: nodes of chunk.record_size bytes = 64 * (1 + header.metric_count).
 * A reference is the file offset / 64.  A parent's reference is always written before
 * its children exist; the tree is rebuilt from the parent references alone.
 *
 * A node is open while enter != 0.  Times are ticks.
 *
 * With KYMO_HEADER_POSITIONS visits have no times.  About a thousand times a second a helper
 * samples where the thread is, and adds the time since its last sample of the thread, the weight,
 * there: sum is of weights, and exclusive; max how often the thread was seen there; sum_squares of
 * the squares of weights; enter when it was seen there last; min is not used. */
struct kymo_node {
	uint32_t region;
	uint32_t parent; /* 0 for the root */
	uint32_t cache;	 /* the runtime's: most recent child; readers ignore it */
	uint16_t depth;	 /* root 0, saturates at 65535 */
	uint16_t flags;	 /* KYMO_NODE_* */
	uint64_t count;	 /* enters */
	uint64_t enter;	 /* ticks of the open enter, else 0 */
	uint64_t sum;	 /* closed visits; KYMO_NODE_FOLDED: exclusive time */
	uint64_t min;	 /* of closed visits; UINT64_MAX before the first */
	uint64_t max;
	double sum_squares;
};
_Static_assert(sizeof(struct kymo_node) == 64, "a node is one cache line");

/* INFO note of such a recording: its text is "sampled". */
#define KYMO_POSITIONS_NOTE "timing of call paths"

#define KYMO_NODE_FOLDED    1u /* beyond the limit: all deeper visits of the region, flat */
#define KYMO_NODE_INHERITED 2u /* already open when this recording began; enter not counted */

/* Block k after a node is metric header.metrics[k]; value in the metric's unit. */
struct kymo_node_metric {
	uint64_t count; /* closed visits */
	uint64_t enter; /* reading at the open enter */
	double sum;
	double min;
	double max;
	double sum_squares;
	/* MERGED: to be added to sum and sum_squares for exact values; else 0 */
	int64_t sum_rest, squares_rest;
};
_Static_assert(sizeof(struct kymo_node_metric) == 64, "metric block");

/* In recordings that are MERGED, after the metrics of each node: keeps sums integers when they
 * are added to further ones. */
struct kymo_node_exact {
	uint64_t closed;  /* closed visits, instead of those derived from count */
	uint64_t self;	  /* own ticks */
	uint64_t squares; /* sum of the squares of closed visits' ticks, the lower half */
	uint64_t squares_high;
	uint64_t reserved[4];
};
_Static_assert(sizeof(struct kymo_node_exact) == 64, "block of exact sums");

#endif
