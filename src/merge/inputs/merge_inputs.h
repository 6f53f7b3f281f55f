/* What is to be merged: recordings found by the paths that were given, looked at but not opened.
 *
 * Each process is taken once.  What is left out is said in lines: problems, which make the
 * command fail at its end, and remarks, which do not. */
#ifndef KYMO_MERGE_INPUTS_H
#define KYMO_MERGE_INPUTS_H

#include "model/recording/recording.h"

struct merge_input {
	char *path;
	char *run;	    /* its folder, as it was named */
	uint8_t run_id[16]; /* of the header, or of the content */
	uint32_t pid;
	uint32_t flags; /* KYMO_HEADER_* */
	uint64_t start_realtime_ns;
	uint64_t process_count; /* of merged recordings; else 1 */
	uint64_t size;
};

struct merge_inputs {
	struct merge_input *items;
	size_t count, capacity;
	bool is_sampled;   /* there are samples alone: trees of those are merged */
	uint64_t left_out; /* processes of which there are samples alone, beside calls */
	char **problems, **remarks;
	size_t problem_count, remark_count;
};

/* given: paths of recordings and directories; "@FILE" and "-" name lists of such, a line each.
 * Fails only where nothing can go on. */
enum kymo_status merge_inputs_read(struct merge_inputs *inputs, char *const *given, size_t count,
				   struct problem *problem);
void merge_inputs_release(struct merge_inputs *inputs);

#endif
