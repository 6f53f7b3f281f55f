/* The end of a job that is one run: the rank that ends last writes the outputs.
 *
 * Without communication or locks, since the ranks share only a file system: see config/run/runjob.h
 * for the files.  One thread. */
#ifndef KYMO_FINISH_JOB_H
#define KYMO_FINISH_JOB_H

#include <limits.h>
#include <sys/types.h>

struct finish_job {
	char folder[PATH_MAX]; /* of the job, in the run's; "" = the run is of no job */
	char link[PATH_MAX];   /* to the run, which may exist; "" = it does not */
};

enum finish_turn {
	FINISH_ALONE,  /* the run is of no running job */
	FINISH_LAST,   /* the last of the job: finish_job_close() follows */
	FINISH_OTHERS, /* other ranks run and will write the outputs, or do so now */
};

/* The process has ended, or is about to.  Ranks of this node whose process no longer exists count
 * as ended, too: the job does not wait for a rank that was killed. */
enum finish_turn finish_job_end(struct finish_job *job, const char *run, pid_t process);

/* All outputs are written: removes the job's files. */
void finish_job_close(const struct finish_job *job);

#endif
