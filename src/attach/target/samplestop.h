/* Stopping threads of another process one by one, for the moment of a sample: threadstop.h, with
 * those kept in mind that do not stop so soon.
 *
 * A thread is seized for each stop and detached behind it: between samples it has no tracer, so
 * that its signals take no way around.  Who asks chooses threads whose system calls a stop does not
 * end (targettask_is_delicate()): none is made again.  One thread; uses malloc. */
#ifndef KYMO_SAMPLESTOP_H
#define KYMO_SAMPLESTOP_H

#include <stdbool.h>
#include <sys/types.h>

#include "platform/threads/threadstop.h"

struct samplestop {
	struct threadstop all; /* pending: interrupted, but not stopped so far, in the kernel */
	int error;	       /* errno of the last thread that could not be stopped */
};

/* It is stopped, with its registers; NULL: gone, or it does not stop, or another tracer has it
 * (error). */
const struct threadstop_thread *samplestop_stop(struct samplestop *stop, pid_t thread);
/* NULL: it is not stopped. */
const struct threadstop_thread *samplestop_find(const struct samplestop *stop, pid_t thread);
/* Resume all, those too that were pending and have stopped since: to be called at every
 * look, since a stopped thread seems to sleep, and nobody stops it again.  True when some have
 * not stopped yet: then soon again. */
bool samplestop_resume(struct samplestop *stop);
/* The same, and wait for those that are pending. */
void samplestop_release(struct samplestop *stop);

#endif
