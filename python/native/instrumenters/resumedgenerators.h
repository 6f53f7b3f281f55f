/* The generators and coroutines running in a thread whose resume was reported to a hook.
 *
 * If a signal handler raises at a resume, before its event, and the generator catches that, it
 * continues to run, and its leave comes without an enter (see bytecode.h).  A generator that is
 * missing here when it calls something or leaves is entered then.  Per thread; only frames that are
 * open are dereferenced.  Context: hook, with the GIL held. */
#ifndef KYMO_RESUMEDGENERATORS_H
#define KYMO_RESUMEDGENERATORS_H

#include "collector.h"

/* Whether the resume of a generator's current visit was reported, also before recording began.
 * Later entries, which ended without an event, are removed. */
bool resumed_has(struct kymo_thread *thread, const eval_frame *frame);
/* Its resume was just reported. */
void resumed_add(struct kymo_thread *thread, const eval_frame *frame);
/* Its visit ends, and it is the innermost one after resumed_has(). */
void resumed_drop(struct kymo_thread *thread, const eval_frame *frame);
/* The running generator that called frame, NULL = there is none. */
const eval_frame *resumed_calling(const eval_frame *frame);

#endif
