/* A run ready to be reported: its recordings with their call trees.
 *
 * Processes whose tree cannot be built are left out and said in problems.  Owns
 * everything it points to. */
#ifndef KYMO_LOADED_RUN_H
#define KYMO_LOADED_RUN_H

#include "analysis/calltree.h"
#include "analysis/run.h"

struct loaded_run {
	struct run *run;
	const struct calltree **trees; /* the root process first */
	size_t tree_count;
	char **problems; /* besides those of the run and its recordings */
	size_t problem_count;
};

/* pid: only that process, 0 = all. */
enum kymo_status loaded_run_open(const char *path, uint32_t pid, struct loaded_run **out,
				 struct problem *problem);
void loaded_run_free(struct loaded_run *loaded);

#endif
