/* Stopping single threads of another process for the duration of a sample: threadstop.h, keeping
 * track of those that do not stop in time.
 *
 * A thread is seized for each stop and detached after it: between samples it has no tracer, so that
 * its signals are not delayed.  Callers select threads whose system calls are not interrupted by a
 * stop (targettask_is_delicate()): none is restarted.  One thread; uses malloc. */
#ifndef KYMO_SAMPLESTOP_H
#define KYMO_SAMPLESTOP_H

#include <stdbool.h>
#include <sys/types.h>

#include "platform/threads/threadstop.h"

struct samplestop {
	struct threadstop all; /* pending: interrupted, but not stopped yet, in the kernel */
	int error;	       /* errno of the last thread that could not be stopped */
};

/* Stop it and get its registers; NULL: it has ended, does not stop, or has another tracer
 * (error). */
const struct threadstop_thread *samplestop_stop(struct samplestop *stop, pid_t thread);
/* NULL: it is not stopped. */
const struct threadstop_thread *samplestop_find(const struct samplestop *stop, pid_t thread);
/* Resume all, including pending ones that have stopped since: to be called at every observation,
 * since a stopped thread appears to sleep, and is not stopped again.  True when some have not
 * stopped yet: call again soon. */
bool samplestop_resume(struct samplestop *stop);
/* The same, and wait for pending ones. */
void samplestop_release(struct samplestop *stop);

#endif
