/* Trees that did not fit into memory, in an unnamed file next to the output: each a run of sorted
 * regions, then of sorted nodes.  Each run is read again in that order, by a cursor of its own.
 *
 * One thread; uses malloc.  Reads only what this process wrote. */
#ifndef KYMO_MERGE_SPILL_H
#define KYMO_MERGE_SPILL_H

#include <stdio.h>

#include "merge/merge_tree.h"

struct merge_run {
	uint64_t regions_at, regions_end; /* offsets in the file */
	uint64_t nodes_at, nodes_end;
	uint32_t region_count;
	uint32_t metric_ids[KYMO_METRICS_MAX];
	uint32_t metric_count;
};

struct merge_spill {
	const char *directory; /* the caller's */
	int fd;
	FILE *out;
	uint64_t end;
	struct merge_run *runs;
	size_t run_count, run_capacity;
};

/* The file is created lazily. */
void merge_spill_init(struct merge_spill *spill, const char *directory);
/* Write the tree as one more run, and release it.  *rank_out: the position of each region in the
 * run; the caller frees it. */
enum kymo_status merge_spill_tree(struct merge_spill *spill, struct merge_tree *tree,
				  uint32_t **rank_out, struct problem *problem);
/* Append arbitrary bytes; *at_out is their offset. */
enum kymo_status merge_spill_bytes(struct merge_spill *spill, const void *bytes, size_t size,
				   uint64_t *at_out, struct problem *problem);
/* Make everything written so far readable. */
enum kymo_status merge_spill_flush(struct merge_spill *spill, struct problem *problem);
void merge_spill_release(struct merge_spill *spill);

struct merge_cursor {
	const struct merge_spill *spill;
	unsigned char *buffer;
	size_t size, at, length; /* of the buffer: size, position, bytes in it */
	uint64_t next, end;	 /* range of the file not in the buffer yet */
	const struct merge_run *run;
	bool is_at_end, has_failed;
	/* The current item: */
	struct merge_region region;
	uint32_t depth; /* of the node: 0 = a thread */
	uint32_t node_region;
	bool is_folded;
	struct merge_values values;
	struct merge_metric metrics[KYMO_METRICS_MAX];
	struct merge_thread_sums thread;
};

/* Regions, or nodes, of a run, from the first; false = no memory. */
bool merge_cursor_init(struct merge_cursor *cursor, const struct merge_spill *spill,
		       const struct merge_run *run, bool is_of_nodes, size_t buffer_size);
void merge_cursor_next_region(struct merge_cursor *cursor);
void merge_cursor_next_node(struct merge_cursor *cursor);
/* The same for arbitrary bytes; false = they do not exist. */
bool merge_spill_read(const struct merge_spill *spill, void *to, size_t size, uint64_t at);
void merge_cursor_release(struct merge_cursor *cursor);

#endif
