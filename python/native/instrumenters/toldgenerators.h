/* The generators and coroutines that run in a thread and whose going on was told to a hook.
 *
 * A handler that raises where one goes on, before anybody hears of it, does not end it where the
 * generator catches that: it runs on, and its leave comes without an enter (see bytecode.h).
 * Who is missing here when it calls something or leaves is entered then.  A thread's own; nothing
 * here dereferences a frame that is not open.
 * Context: hook, with the GIL held. */
#ifndef KYMO_TOLDGENERATORS_H
#define KYMO_TOLDGENERATORS_H

#include "collector.h"

/* Whether the visit of a generator's frame that goes on now was told, also before recording began.
 * Whatever was told later and ended without a word is forgotten. */
bool told_has(struct kymo_thread *thread, const eval_frame *frame);
/* It was told just now. */
void told_add(struct kymo_thread *thread, const eval_frame *frame);
/* Its visit ends, and it is the innermost one, as told_has() leaves it. */
void told_drop(struct kymo_thread *thread, const eval_frame *frame);
/* The running generator that called frame, NULL = something else did. */
const eval_frame *told_calling(const eval_frame *frame);

#endif
