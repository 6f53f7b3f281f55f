/* The profile of a run as rows: call paths in the order of a table, the paths of created threads
 * under the node that created them, merged over threads and processes or flat if selected.
 *
 * All views of a profile read these rows.  Times are in nanoseconds.  The rows borrow the trees and
 * must not outlive them.  Read-only once made. */
#ifndef KYMO_ROWS_H
#define KYMO_ROWS_H

#include "model/profile/region_union.h"
#include "model/tree/call_count.h"

struct rows_options {
	bool is_flat;	       /* one row per region */
	bool merges_threads;   /* identical paths of all threads are one row */
	bool merges_processes; /* likewise */
	uint32_t thread;       /* only this one of each process; KYMO_NO_THREAD = all */
};

struct row {
	uint32_t region;  /* number in the union */
	uint32_t depth;	  /* 0 = outermost */
	uint32_t process; /* index of the tree; if several are merged, of the first */
	uint32_t thread;  /* number, likewise */
	uint64_t count;
	bool is_count_estimated; /* then it is within [count_low, count_high] */
	uint64_t count_low, count_high;
	uint64_t closed_count;
	double sum_ns;	  /* inclusive; flat: outermost visits only */
	double visits_ns; /* of all visits, the base of sum_squares_ns */
	double self_ns;
	double min_ns, max_ns; /* of closed visits */
	double sum_squares_ns;
	bool is_open;
	bool is_folded;
};

struct row_metric {	/* one recorded metric of one row, in its stored unit */
	uint64_t count; /* closed visits */
	double sum, visits, self;
	double min, max, sum_squares;
};

struct rows {
	struct row *rows; /* parents before children, depth first */
	size_t count;
	struct row_metric *metrics; /* count times metric_count */
	const uint32_t *metric_ids; /* enum kymo_metric of each */
	unsigned int metric_count;
	const struct calltree *const *trees;
	size_t tree_count;
	struct region_union *regions;
	struct rows_options options;
	unsigned int thread_digits, process_digits; /* width of their numbers in labels */
	bool has_open;
	bool has_estimated_counts;
	/* If rows are left out (profile/rows_largest.h): how many, and their share of the self
	 * time. */
	size_t left_out;
	double left_out_percent;
	bool borrows_regions;
};

enum kymo_status rows_new(const struct calltree *const *trees, size_t tree_count,
			  const struct rows_options *options, struct rows **out);
void rows_free(struct rows *rows);

#define ROW_NAME_MAX   1200 /* bytes of a label besides its indentation */
#define ROW_PREFIX_END ">>> "
#define ROW_INDENT_MAX 1024 /* limited so that outputs do not grow with the square of the depth */

/* "|0>>>   |_fib": the label of a row, indented by indent_max blanks at most.  size is
 * indent_max + ROW_NAME_MAX or more; returns the length. */
size_t row_label(const struct rows *rows, size_t index, size_t indent_max, char *text, size_t size);

#endif
