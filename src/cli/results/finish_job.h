/* The end of a job that is one run: whoever of its ranks ends last writes the outputs.
 *
 * Nobody is asked and nothing is locked, since the ranks share a file system and nothing else: see
 * config/run/runjob.h for the files.  One thread. */
#ifndef KYMO_FINISH_JOB_H
#define KYMO_FINISH_JOB_H

#include <limits.h>
#include <sys/types.h>

struct finish_job {
	char folder[PATH_MAX]; /* of the job, in the run's; "" = the run is of none */
	char link[PATH_MAX];   /* to the run, which may be there; "" = it is not */
};

enum finish_turn {
	FINISH_ALONE,  /* the run is of no job that goes on */
	FINISH_LAST,   /* of the job: finish_job_close() follows */
	FINISH_OTHERS, /* ranks run that will see to it, or do so now */
};

/* The process has ended, or is about to.  Those of this node that are not there any more have
 * ended, too: a rank that died is not waited for. */
enum finish_turn finish_job_end(struct finish_job *job, const char *run, pid_t process);

/* All is written: the job's files go. */
void finish_job_close(const struct finish_job *job);

#endif
