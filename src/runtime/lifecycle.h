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

/* Enter region on the calling thread's empty stack and keep it open as long as the thread
 * records: below it lies all that the thread does. */
KYMO_EXPORT void kymo_thread_outermost(struct kymo_thread *thread, uint32_t region);

/* Close every open region and the recording, as kymo_runtime_close() does where nobody is
 * resident.  exit_status -1 = unknown.  Nothing where kymo_runtime_is_here() is false. */
KYMO_EXPORT void kymo_runtime_end(int exit_status);

#endif
