/* For the one collector that follows a process from its start to its end: what other collectors
 * neither need nor may do.
 *
 * The caller knows that a process is about to end, to exec or to fork; the runtime knows what
 * that means for the recording.  errno is kept.  Context: thread. */
#ifndef KYMO_LIFECYCLE_H
#define KYMO_LIFECYCLE_H

#include "runtime/runtime.h"

/* True when this process records into a recording of its own: false before opening, after
 * the end, and in a child that shares its parent's memory (vfork). */
KYMO_EXPORT bool kymo_runtime_is_here(void);

/* Close every open region and the recording, as kymo_runtime_close() does without a resident
 * collector.  exit_status -1 = unknown.  Does nothing if kymo_runtime_is_here() is false. */
KYMO_EXPORT void kymo_runtime_end(int exit_status);

/* The process is about to exec: the recording ends here.  True: it does, and kymo_exec_failed()
 * must be called if exec fails; no other thread gets new space in the recording in between. */
KYMO_EXPORT bool kymo_exec_begin(void);
KYMO_EXPORT void kymo_exec_failed(void);

/* A program that gives up rights or system calls. */

/* It is about to give up rights: do now what needs them.  Reserves some space in the recording;
 * outputs of the run that this process would write are left to a process outside. */
KYMO_EXPORT void kymo_confine(void);
/* It is about to limit its memory or address space. */
KYMO_EXPORT void kymo_limit_memory(void);
/* It is about to do what the kernel allows only to single-threaded processes: Kymo's threads
 * end, and are started again after it. */
KYMO_EXPORT void kymo_alone_begin(void);
KYMO_EXPORT void kymo_alone_end(void);
/* It is about to give up system calls: the recording is limited to the space it has, no signal
 * is sent any more, and it is closed without calls.  is_strict: the processor's counter becomes
 * unavailable, too.  True: kymo_restrict_end() must be called. */
KYMO_EXPORT bool kymo_restrict_begin(bool is_strict);
/* It has done so, or failed. */
KYMO_EXPORT void kymo_restrict_end(bool is_done);
KYMO_EXPORT bool kymo_runtime_is_restricted(void);

/* For forks that bypass pthread_atfork(). */

/* Enter region on the calling thread's empty stack and keep it open as long as the thread
 * records: all that the thread does is below it. */
KYMO_EXPORT void kymo_thread_outermost(struct kymo_thread *thread, uint32_t region);

/* False: no key was left, so that wrappers of thread starts have to call kymo_thread_end() in
 * them. */
KYMO_EXPORT bool kymo_thread_end_is_seen(void);
KYMO_EXPORT void kymo_thread_end(void);

#endif
