/* For the one collector that follows a process from its start to its end: what other
 * collectors neither need nor may do.
 *
 * The caller knows that a process is about to end, to run another program or to fork; the
 * runtime knows what that means for the recording.  errno is kept.  Context: thread. */
#ifndef KYMO_LIFECYCLE_H
#define KYMO_LIFECYCLE_H

#include "runtime/runtime.h"

/* True when this process records into a recording of its own: false before opening, after
 * the end, and in a child that shares its parent's memory (vfork). */
KYMO_EXPORT bool kymo_runtime_is_here(void);

/* Close every open region and the recording, as kymo_runtime_close() does where nobody is
 * resident.  exit_status -1 = unknown.  Nothing where kymo_runtime_is_here() is false. */
KYMO_EXPORT void kymo_runtime_end(int exit_status);

/* The process is about to run another program: the recording ends here.  True: it does, and
 * kymo_exec_failed() is to be called when that fails; no other thread gets new room in the
 * recording in between. */
KYMO_EXPORT bool kymo_exec_begin(void);
KYMO_EXPORT void kymo_exec_failed(void);

/* A program that gives up rights or calls. */

/* It is about to give up rights: what needs them is done now.  The recording gets some room, and
 * outputs of the run that this process would write are left to a process outside. */
KYMO_EXPORT void kymo_confine(void);
/* It is about to limit its memory or addresses. */
KYMO_EXPORT void kymo_limit_memory(void);
/* It is about to do what the kernel allows to processes of one thread only: ours end, and begin
 * again behind it. */
KYMO_EXPORT void kymo_alone_begin(void);
KYMO_EXPORT void kymo_alone_end(void);
/* It is about to give up calls: the recording makes do with the room it has, no signal comes any
 * more, and all is closed without any.  is_strict: the processor's counter goes with the calls.
 * True: kymo_restrict_end() is to be called. */
KYMO_EXPORT bool kymo_restrict_begin(bool is_strict);
/* It has done so, or could not. */
KYMO_EXPORT void kymo_restrict_end(bool is_done);
KYMO_EXPORT bool kymo_runtime_is_restricted(void);

/* For those that pthread_atfork() does not tell of. */

/* Enter region on the calling thread's empty stack and keep it open as long as the thread
 * records: below it lies all that the thread does. */
KYMO_EXPORT void kymo_thread_outermost(struct kymo_thread *thread, uint32_t region);

/* False: no key was left, so whoever starts threads has to call kymo_thread_end() in them. */
KYMO_EXPORT bool kymo_thread_end_is_seen(void);
KYMO_EXPORT void kymo_thread_end(void);

#endif
