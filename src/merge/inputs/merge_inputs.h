/* The inputs of a merge: recordings found by the given paths; their headers are read, but they are
 * not opened.
 *
 * Each process is used once.  Lines report what is left out: problems, which make the command fail
 * at its end, and remarks, which do not. */
#ifndef KYMO_MERGE_INPUTS_H
#define KYMO_MERGE_INPUTS_H

#include "model/recording/recording.h"

struct merge_input {
	char *path;
	char *run;	    /* its folder, as given */
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
	bool is_sampled;   /* there are only samples: merge the trees of those */
	uint64_t left_out; /* processes with samples only, if there are calls */
	char **problems, **remarks;
	size_t problem_count, remark_count;
};

/* given: paths of recordings and directories; "@FILE" and "-" are lists of such, one per line.
 * Fails only on fatal errors. */
enum kymo_status merge_inputs_read(struct merge_inputs *inputs, char *const *given, size_t count,
				   struct problem *problem);
void merge_inputs_release(struct merge_inputs *inputs);

#endif
