/* Stopping all threads of the own process, except the calling one, for milliseconds.
 *
 * A thread cannot stop another one of its process without a signal, and signals are the program's.
 * So a process is created that shares the memory, is not a child and ends without a signal: it
 * stops the threads (threadstop.h), does the work while they are stopped, and resumes them.
 *
 * Refused if the program is traced already, gave up system calls, or may not be traced: then
 * nothing has changed.  Context: the helper's thread. */
#ifndef KYMO_FUNCPATCH_STOP_H
#define KYMO_FUNCPATCH_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/threads/threadstop.h"

/* Returns whether the work was done: false has the same effects as a refusal. */
typedef bool (*funcpatch_stop_fn)(struct threadstop *stop, void *context);

/* Do work while all others are stopped.  It shares the memory, but has its own descriptors,
 * calls nothing of the C library, allocates nothing and takes no lock: a stopped thread may hold
 * it.  False: they could not all be stopped, and nothing was done. */
bool funcpatch_stopped(funcpatch_stop_fn work, void *context);
/* How long they were stopped the last time, ns. */
uint64_t funcpatch_stop_lasted_ns(void);

/* Detect what forbids it; called before the program begins.  Context: init. */
void funcpatch_stop_init(void);

#endif
