/* Many recordings become one: of processes, ranks and repeated runs, keeping who was who.
 *
 * The result is the same bytes whatever the order and the grouping of the inputs.  One thread;
 * forks where more than one job is asked for; uses malloc. */
#ifndef KYMO_MERGE_H
#define KYMO_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The recording in the output's directory. */
#define MERGE_FILE_NAME "merged.kymo"

struct merge_options {
	const char *output;	   /* directory */
	uint64_t memory_bytes;	   /* for trees */
	unsigned int jobs;	   /* processes at once; 0 = as many as pay */
	bool is_strict;		   /* nothing is written where something cannot be read */
	bool is_forced;		   /* an earlier merge in the output is replaced */
	uint32_t rank, rank_count; /* among the processes that share the work; count 0: alone */
	const char *job;	   /* what tells them from other such; "" = nothing does */
};

struct merge_result {
	uint64_t process_count; /* that were merged */
	uint64_t left_out;	/* that have samples alone, beside calls */
	bool is_written;	/* by this process: ranks but the first write a part of it */
	char **problems, **remarks;
	size_t problem_count, remark_count;
};

/* given: see merge_inputs_read().  Fails when nothing was written; where inputs could not be
 * read, problems say so. */
enum kymo_status merge_recordings(char *const *given, size_t count,
				  const struct merge_options *options, struct merge_result *result,
				  struct problem *problem);
void merge_result_release(struct merge_result *result);

#endif
