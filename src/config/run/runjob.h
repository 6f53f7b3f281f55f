/* The run that all ranks of a job share: the job's name, its folder in the run's directory, and in
 * that a file for each rank.  Texts are the caller's.  Context: init. */
#ifndef KYMO_RUNJOB_H
#define KYMO_RUNJOB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "config/outputname.h"

/* RUN/.job-NAME holds the file "RANK-of-SIZE-HOST-PID" RUNJOB_OPEN of each rank that runs, and
 * with RUNJOB_DONE of each that has ended.  OUTPUT_PATH/.job-NAME is a link to RUN, where that is
 * named by time. */
#define RUNJOB_FOLDER	".job-"
#define RUNJOB_OPEN	".open"
#define RUNJOB_DONE	".done"
#define RUNJOB_NAME_MAX 96

/* The name of the job that the process is a rank of; false: of none. */
bool runjob_name(const struct output_context *context, char *name, size_t size);
/* "HOST-PID" of a process on this node. */
void runjob_process(pid_t pid, char *text, size_t size);

/* Makes a folder of the name that is wanted.  0 or an errno value. */
typedef int (*runjob_make_fn)(const char *wanted, char *path, size_t size);

/* The folder of the job's run in path, PATH_MAX bytes: made, when this is the first rank, and
 * recordings of earlier runs in it are moved into "earlier-N"; joined, when it is another.
 * 0 or an errno value. */
int runjob_share(const struct output_context *context, const char *wanted, const char *job,
		 runjob_make_fn make, char *path);

#endif
