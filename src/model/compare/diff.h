/* Two sides of runs, before and after, compared region by region and call path by call path.
 *
 * A side is one run or several of the same program; a merged run of repeated ones counts as these.
 * All values are means over the runs of a side, so sides of different numbers of runs compare.  A
 * region or call path that a side lacks is all 0 there, and its region is NULL.  Arrays of two are
 * indexed by enum diff_side.
 *
 * Borrows the loaded runs and what they own.  Read-only once made.  One thread. */
#ifndef KYMO_DIFF_H
#define KYMO_DIFF_H

#include "model/compare/ttest.h"
#include "model/compare/diff_region.h"
#include "model/profile/loaded_run.h"
#include "model/profile/rows.h"
#include "model/profile/run_facts.h"

struct diff_runs { /* one side */
	const struct loaded_run *const *runs;
	size_t loaded_count;
	size_t run_count;	  /* a merged one counts as several */
	struct run_facts **facts; /* of each that is loaded */
	struct rows *rows;	  /* the call paths of all of them, summed */
	uint32_t *numbers;	  /* per region of the rows: index into the diff's, or DIFF_NONE */
	const struct calltree **trees; /* of all of them */
	size_t tree_count;
	struct moments duration, self,
		count;	     /* of the whole run: ns; self and count of all regions */
	double cost_percent; /* overhead, mean; -1 = not known */
	bool is_sampled;
	double effective_count; /* effective number of samples; 0 = not sampled */
};

/* Means over the runs of a side: the time of all threads, which is that of all regions and outside
 * of them; and the time outside any recorded region. */
double diff_runs_whole_ns(const struct diff_runs *side);
double diff_runs_outside_ns(const struct diff_runs *side);

struct diff {
	struct diff_runs side[DIFF_SIDES];
	struct diff_region *regions; /* first those of the side before, in their order */
	uint32_t region_count;
	struct diff_node *nodes; /* depth first, parents before children; without threads */
	uint32_t node_count;
	/* After the regions, and each with a path after the nodes: time outside any region, which
	 * no sum of these includes and no condition refers to. */
	uint32_t rest_count;
	/* Of either side: differences are tested.  One run a side does not show how much its times
	 * vary, so that only deterministic values, as calls, differ for certain. */
	bool has_repeats;
	bool has_estimates; /* of times; of how often a path was entered: */
	bool has_estimated_counts;
	double noise_percent; /* smaller differences of self are as likely noise as not */
	char *warning; /* differences in how the sides were measured, in a line; NULL = none */
};

enum diff_verdict {
	DIFF_SAME,
	DIFF_FASTER,
	DIFF_SLOWER,
	DIFF_ADDED,
	DIFF_REMOVED,
	DIFF_UNDECIDED, /* it is not known whether it is chance */
	DIFF_VERDICTS
};

#define DIFF_SURE 0.05 /* smaller chances count as significant */

enum diff_measure { DIFF_SELF, DIFF_TOTAL, DIFF_COUNT, DIFF_MEAN };

/* Those of both sides. */
static inline const struct moments *diff_moments(const struct diff_region *region,
						 enum diff_measure measure)
{
	return measure == DIFF_SELF    ? region->self
	       : measure == DIFF_TOTAL ? region->total
	       : measure == DIFF_COUNT ? region->count
				       : region->mean;
}

#endif
