/* The guard around enter and leave, and the stack of users' regions of a thread, for the runtime
 * only.  All of it belongs to the calling thread.  Context: thread. */
#ifndef KYMO_USERSTACK_H
#define KYMO_USERSTACK_H

#include "runtime/lifecycle/session.h"
#include "runtime/user/userguard.h"

/* Begin a region, flags 0 or USER_PARAMETER: between acquire and release, and after kymo_admits(),
 * which is not checked again.  True if it was entered, so that values of its event may follow. */
bool user_push(struct kymo_thread *thread, uint32_t region, uint32_t flags);
/* End the innermost one, of any kind. */
void user_pop(struct kymo_thread *thread);
/* The innermost one that is no parameter, 0 = none. */
uint32_t user_innermost_region(const struct kymo_thread *thread);

/* The tree was closed under the thread: nothing on its stack is entered any more. */
void user_closed(struct kymo_thread *thread);
/* The thread, or its recording, ends: count what was never ended.  The lock is held. */
void user_finish(struct kymo_thread *thread);
/* A region that was entered in another way is left while the parameter region is the current
 * one: remove it from the stack.  False if it is no parameter. */
bool user_drop_parameter(struct kymo_thread *thread, uint32_t region);

#endif
