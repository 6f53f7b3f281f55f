/* Several processes merge one output: each its slice of the inputs, into a part of its own, which
 * the first of them merges.
 *
 * They meet in a directory within the output.  What a process has done is a file that appears
 * whole; that it is alive, a lock it holds: no time is waited for. */
#ifndef KYMO_MERGE_SHARE_OUT_H
#define KYMO_MERGE_SHARE_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct merge_worker {
	char *directory; /* of the parts */
	uint32_t number;
	int lock; /* descriptor; -1 = none */
};

/* Make the directory within output, where it is not there yet; plan: what all of these have in
 * common, and no others. */
enum kymo_status merge_worker_init(struct merge_worker *worker, const char *output,
				   const char *plan, uint32_t number, struct problem *problem);
void merge_worker_release(struct merge_worker *worker);
/* The part of a worker; the caller frees.  NULL = no memory. */
char *merge_worker_part(const struct merge_worker *worker, uint32_t number);

struct merge_done { /* what a worker tells the first one */
	enum kymo_status status;
	bool has_part; /* nothing is there where it had no inputs */
	char *problem; /* why it failed, NULL = it did not */
	char **lines;  /* inputs that could not be read */
	size_t line_count;
};

enum kymo_status merge_worker_report(const struct merge_worker *worker,
				     const struct merge_done *done, struct problem *problem);
/* Wait for what a worker tells, or until it is gone. */
enum kymo_status merge_worker_wait(const struct merge_worker *worker, uint32_t number,
				   struct merge_done *out, struct problem *problem);
void merge_done_release(struct merge_done *done);
/* All is merged, or lost: remove what the workers left. */
void merge_worker_remove_all(const struct merge_worker *worker);

#endif
