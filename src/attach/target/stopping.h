/* Stopping threads of another process for moments, by ptrace and without signals.
 *
 * PTRACE_SEIZE leaves a thread running and PTRACE_INTERRUPT stops it without its noticing;
 * when the tracer dies, the kernel lets it go on.  Signals that arrive in such a moment are
 * delivered when it goes on.  One thread; uses malloc. */
#ifndef KYMO_STOPPING_H
#define KYMO_STOPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "object/unwind/unwind.h"

struct stopped {
	pid_t id;
	int signal; /* to be delivered when it goes on, 0 = none */
	struct unwind_registers registers;
};

struct stopping {
	struct stopped *threads;
	size_t count, capacity;
	pid_t *pending; /* interrupted, but not stopped so far: inside of the kernel */
	size_t pending_count, pending_capacity;
	int error; /* errno of the last thread that could not be stopped */
};

/* Its registers; NULL: gone, or it does not stop, or another tracer has it (error). */
const struct stopped *stopping_stop(struct stopping *stopping, pid_t thread);
const struct stopped *stopping_find(const struct stopping *stopping, pid_t thread);
/* Let all go on, those too that were pending and have stopped since: to be called at every
 * look, since a stopped thread seems to sleep, and nobody stops it again.  True when some have
 * not stopped yet: then soon again. */
bool stopping_go_on(struct stopping *stopping);
/* The same, and wait for those that are pending. */
void stopping_release(struct stopping *stopping);

#endif
