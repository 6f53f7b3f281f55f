/* What flat tables of a call tree hold: regions, and who called them.  flat.h makes them. */
#ifndef KYMO_FLAT_TYPES_H
#define KYMO_FLAT_TYPES_H

#include "model/tree/calltree_types.h"

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
