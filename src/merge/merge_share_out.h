/* Several processes merge one output: each merges its slice of the inputs into a part of its own;
 * the first of them merges the parts.
 *
 * They share a directory within the output.  A process reports by a file that appears atomically; a
 * lock shows that it is alive, so there are no timeouts. */
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

/* Create the directory within output, unless it exists; plan: text that all processes of this group
 * have in common, and no others. */
enum kymo_status merge_worker_init(struct merge_worker *worker, const char *output,
				   const char *plan, uint32_t number, struct problem *problem);
void merge_worker_release(struct merge_worker *worker);
/* The part of a worker; the caller frees.  NULL = no memory. */
char *merge_worker_part(const struct merge_worker *worker, uint32_t number);

struct merge_done { /* a worker's report to the first one */
	enum kymo_status status;
	bool has_part; /* false if it had no inputs */
	char *problem; /* why it failed, NULL = success */
	char **lines;  /* inputs that could not be read */
	size_t line_count;
};

enum kymo_status merge_worker_report(const struct merge_worker *worker,
				     const struct merge_done *done, struct problem *problem);
/* Wait for a worker's report, or until it has exited. */
enum kymo_status merge_worker_wait(const struct merge_worker *worker, uint32_t number,
				   struct merge_done *out, struct problem *problem);
void merge_done_release(struct merge_done *done);
/* Everything is merged, or lost: remove the workers' files. */
void merge_worker_remove_all(const struct merge_worker *worker);

#endif
