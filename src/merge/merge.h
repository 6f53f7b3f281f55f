/* Merges many recordings into one: of processes, ranks and repeated runs, keeping their identities.
 *
 * The result has the same bytes whatever the order and the grouping of the inputs.  One thread;
 * forks if more than one job is used; uses malloc. */
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
	unsigned int jobs;	   /* number of processes; 0 = as many as useful */
	bool is_strict;		   /* write nothing if an input cannot be read */
	bool is_forced;		   /* replace an earlier merge in the output */
	uint32_t rank, rank_count; /* among the processes that share the work; count 0: alone */
	const char *job;	   /* id of that group; "" = none */
};

struct merge_result {
	uint64_t process_count; /* merged ones */
	uint64_t left_out;	/* with samples only, if there are calls */
	bool is_written;	/* by this process: ranks but the first write a part of it */
	char **problems, **remarks;
	size_t problem_count, remark_count;
};

/* given: see merge_inputs_read().  Fails if nothing was written; problems report inputs that could
 * not be read. */
enum kymo_status merge_recordings(char *const *given, size_t count,
				  const struct merge_options *options, struct merge_result *result,
				  struct problem *problem);
void merge_result_release(struct merge_result *result);

#endif
