/* Errors of calls and times of counted functions, added up: by name of the thread, region and
 * caller.  Errors are whole numbers, so that the order of adding does not matter; independent ones
 * add up as squares.
 *
 * They stay in memory, with regions of their own.  One thread; uses malloc. */
#ifndef KYMO_MERGE_ESTIMATES_H
#define KYMO_MERGE_ESTIMATES_H

#include "merge/merge_join.h"
#include "model/tree/calltree.h"

struct merge_error {
	uint64_t off;
	merge_natural squares;
};

struct merge_estimate {
	uint32_t thread, region; /* indexes into regions; when written: ids of the recording */
	uint32_t caller;	 /* likewise; MERGE_BY_ALL, MERGE_BY_THREAD */
	uint32_t flags;		 /* KYMO_ESTIMATE_* */
	struct merge_error errors[KYMO_ERRORS];
	merge_natural unseen; /* calls of callers that were not observed: squares */
};
#define MERGE_BY_ALL	UINT32_MAX	 /* all calls, whatever the caller */
#define MERGE_BY_THREAD (UINT32_MAX - 1) /* calls without a caller in the thread */

struct merge_estimates {
	struct merge_regions regions;
	struct merge_estimate *items;
	size_t count, capacity;
	struct hashset places; /* thread and caller -> place + 1 */
	uint32_t place_count;
	struct hashset by_place; /* place and region -> item + 1 */
	/* After spilling: */
	size_t run;
	uint32_t *rank;
};

/* Add those of a recording: of its tree, or if it is merged (calls NULL) as its file has them.
 * False = no memory. */
bool merge_estimates_add(struct merge_estimates *estimates, const struct recording *recording,
			 const struct calltree *calls);
/* Nothing more is added: write their regions as a run of their own, if there are any. */
enum kymo_status merge_estimates_spill(struct merge_estimates *estimates, struct merge_spill *spill,
				       struct problem *problem);
/* In the order of the recording, whose regions and threads are already written. */
void merge_estimates_write(struct merge_estimates *estimates, const struct merge_joined *joined);
void merge_estimates_release(struct merge_estimates *estimates);

#endif
