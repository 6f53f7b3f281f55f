/* A run: the directory with one recording per process. */
#ifndef KYMO_RUN_H
#define KYMO_RUN_H

#include "model/recording/recording.h"

struct run {
	char *path;
	struct recording **recordings; /* the root process first, then by start time */
	size_t recording_count;
	char **problems; /* recordings that could not be read, one line each */
	size_t problem_count;
	bool is_own; /* only this user can have written its recordings, or into their folders */
};

/* path: a run directory (searched one level of time-stamped directories down, newest first), or one
 * recording.  Fails if it has nothing readable. */
enum kymo_status run_open(const char *path, struct run **out, struct problem *problem);
void run_free(struct run *run);

/* The recordings that path refers to, not opened: the file itself; those directly in a directory,
 * or if there are none, in the newest subdirectory that has any.  lines_free() them. */
enum kymo_status run_list(const char *path, char ***paths_out, size_t *count_out,
			  struct problem *problem);

#endif
