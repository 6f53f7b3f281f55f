/* The threads of all merged processes, and their shares of the regions.
 *
 * The parts stay in memory, the shares are written to the spilled file with the tree that has their
 * regions.  One thread; uses malloc. */
#ifndef KYMO_MERGE_PARTS_H
#define KYMO_MERGE_PARTS_H

#include "merge/merge_join.h"

struct merge_share { /* region: of the tree; when written: of the run */
	uint32_t part, region;
	uint64_t count, self_ns, total_ns;
	uint64_t work_ns, work_total_ns; /* of these */
};

struct merge_segment { /* shares of a part that were written together */
	uint32_t part;
	uint32_t run;
	uint64_t at;
	uint64_t count;
};

struct merge_parts {
	struct recording_part *items;
	uint32_t count;
	size_t capacity;
	struct merge_texts texts;
	struct merge_share *pending; /* of regions of the tree in memory */
	size_t pending_count, pending_capacity;
	struct merge_segment *segments;
	size_t segment_count, segment_capacity;
};

/* Returns its number, for shares; UINT32_MAX = no memory. */
uint32_t merge_parts_add(struct merge_parts *parts, const struct recording_part *part);
bool merge_parts_share(struct merge_parts *parts, const struct merge_share *share);
uint64_t merge_parts_bytes(const struct merge_parts *parts);
/* The tree was written as the last run, with its regions at the positions in rank. */
enum kymo_status merge_parts_flush(struct merge_parts *parts, struct merge_spill *spill,
				   const uint32_t *rank, struct problem *problem);
/* In the order of a merged recording, independent of the order of adding. */
enum kymo_status merge_parts_write(struct merge_parts *parts, const struct merge_joined *joined,
				   struct problem *problem);
/* The number of processes: one recording each. */
uint64_t merge_parts_process_count(struct merge_parts *parts, struct problem *problem);
/* An id made from those of the processes, in any order. */
bool merge_parts_run_id(const struct merge_parts *parts, uint8_t run_id[16]);
/* "one.py, two.py and 3 more": the programs of the processes. */
char *merge_parts_programs(const struct merge_parts *parts);
void merge_parts_release(struct merge_parts *parts);

/* A process is a recording: identified by run, pid and start. */
int merge_process_compare(const struct recording_part *a, const struct recording_part *b);

#endif
