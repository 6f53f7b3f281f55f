/* The run that all ranks of a job share: the job's name, its folder in the run's directory, and in
 * that a file for each rank.  Texts are the caller's.  Context: init. */
#ifndef KYMO_RUNJOB_H
#define KYMO_RUNJOB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "config/outputname.h"

/* RUN/.job-NAME holds one file per rank, "RANK-of-SIZE-HOST-PID" with the suffix RUNJOB_OPEN while
 * the rank runs and RUNJOB_DONE after it has ended.  OUTPUT_PATH/.job-NAME is a link to RUN, if
 * that is named by time. */
#define RUNJOB_FOLDER	".job-"
#define RUNJOB_OPEN	".open"
#define RUNJOB_DONE	".done"
#define RUNJOB_NAME_MAX 96

/* The name of the job of which the process is a rank; false: of none. */
bool runjob_name(const struct output_context *context, char *name, size_t size);
/* "HOST-PID" of a process on this node. */
void runjob_process(pid_t pid, char *text, size_t size);

/* Makes a folder of the requested name.  0 or an errno value. */
typedef int (*runjob_make_fn)(const char *wanted, char *path, size_t size);

/* The folder of the job's run in path, PATH_MAX bytes.  The first rank makes it and moves
 * recordings of earlier runs in it into "earlier-N"; the other ranks join it. 0 or an errno value.
 */
int runjob_share(const struct output_context *context, const char *wanted, const char *job,
		 runjob_make_fn make, char *path);

#endif
