/* The call-path tree of one recording: every thread's tree in one array, in nanoseconds, with self
 * times and ordered children.
 *
 * Overhead, as far as it was calibrated, is excluded from the times, unless the recording has
 * is_raw.  Made from the recorded trees, or replayed from the trace if no tree was recorded.  Open
 * nodes count the time up to the recording's end and are marked. */
#ifndef KYMO_CALLTREE_H
#define KYMO_CALLTREE_H

#include "model/tree/calltree_types.h"

enum kymo_status calltree_new(const struct recording *recording, struct calltree **out,
			      struct problem *problem);
void calltree_free(struct calltree *tree);

/* Flat: one row per region. */

struct flat_row {
	uint32_t region;
	uint64_t count;		  /* all enters */
	uint64_t primitive_count; /* enters while the region was not open in the same thread */
	double self_ns;
	double total_ns; /* outermost visits only, so that recursion counts once */
	double min_ns, max_ns, sum_squares_ns;
	double visits_ns; /* of all visits, the base of sum_squares_ns */
	uint64_t closed_count;
	bool is_open;
	bool is_primitive_estimated;	   /* of calls by a caller: how many were recursive */
	struct calltree_estimate estimate; /* of total_ns and self_ns, over all threads */
};

struct flat_edge { /* caller -> callee; caller 0 = no caller */
	uint32_t caller, callee;
	uint64_t count, primitive_count;
	double self_ns, total_ns;	   /* of the callee under this caller */
	struct calltree_estimate estimate; /* of total_ns, if no call is within another one */
	bool is_count_estimated;	   /* of the callee's calls, which were this caller's */
	uint64_t count_low, count_high;
};

struct flat {
	struct flat_row *rows; /* one per region that has enters, by region id */
	uint32_t row_count;
	struct flat_edge *edges; /* sorted by caller, then callee */
	uint32_t edge_count;
};

#endif
