/* A merge in progress: recordings are added one by one, in any order, and written at the end.
 * Memory is bounded by a limit, the parts, the estimates, and the size of one recording.
 *
 * One thread; uses malloc. */
#ifndef KYMO_MERGE_STATE_H
#define KYMO_MERGE_STATE_H

#include "merge/merge_estimates.h"
#include "merge/merge_notes.h"
#include "merge/merge_parts.h"
#include "merge/merge_totals.h"
#include "model/code/symbols.h"

struct merge_state {
	uint64_t memory_limit;
	struct merge_tree tree;
	struct merge_spill spill;
	struct merge_parts parts;
	struct merge_notes notes;
	struct merge_totals totals;
	struct merge_estimates estimates;
	struct symbols *symbols; /* NULL = not needed yet */
	uint64_t serial;	 /* recordings so far */
	bool has_others;	 /* inputs may be written by others: recording_is_own() */
	/* By region of the tree, for the current thread: */
	uint32_t *open;
	struct merge_share *sums;
	size_t open_capacity, sum_capacity;
	uint32_t *touched;
	size_t touched_count, touched_capacity;
};

/* directory: for spilled data; the caller keeps the text. */
void merge_state_init(struct merge_state *state, const char *directory, uint64_t memory_limit);
void merge_state_release(struct merge_state *state);

/* Write everything as the recording path. */
enum kymo_status merge_state_write(struct merge_state *state, const char *path, bool is_sampled,
				   struct problem *problem);

/* Write the tree as a run, if there is too much in memory, or unconditionally. */
enum kymo_status merge_state_spill(struct merge_state *state, struct problem *problem);
bool merge_state_is_full(const struct merge_state *state);
/* The columns of count metrics: KYMO_METRICS_MAX = not merged. */
enum kymo_status merge_state_metrics(struct merge_state *state, const uint32_t *ids, uint32_t count,
				     uint32_t *columns_out, struct problem *problem);

#endif
