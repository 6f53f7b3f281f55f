/* Fibers: a greenlet has its own stack but no thread of its own, so it gets a separate state,
 * and the thread-local pointer is switched with the running stack. */
#include "runtime/threads/fiber.h"

#include "runtime/control/gate.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/store.h"
#include "runtime/threads/thread.h"
#include "runtime/user/userstack.h"

static struct kymo_thread *idle; /* ended fibers, open at their root; guarded by the lock */

void fibers_forget(void)
{
	idle = NULL;
}

struct kymo_thread *kymo_fiber_get(const char *name)
{
	struct kymo_thread_ticket ticket = kymo_thread_ticket();
	struct kymo_thread *fiber;

	if (!session_ensure() || !store_lock())
		return NULL;
	fiber = idle;
	if (fiber) {
		idle = fiber->idle_next;
		fiber->stack_low = UINTPTR_MAX; /* it may have belonged to another thread */
	} else {
		fiber = thread_new(&ticket, name, KYMO_THREAD_FIBER);
	}
	store_unlock();
	return fiber;
}

void kymo_fiber_put(struct kymo_thread *fiber)
{
	if (!fiber || !fiber->is_fiber || !kymo_fiber_is_valid(fiber) || !store_lock())
		return;
	gate_catch_up(fiber, gate_latest());
	user_finish(fiber);
	thread_unwind(fiber, kymo_now(fiber));
	fiber->idle_next = idle;
	idle = fiber;
	store_unlock();
}

bool kymo_fiber_is_valid(const struct kymo_thread *fiber)
{
	return session.state == KYMO_RUNTIME_ACTIVE && fiber->record;
}

struct kymo_thread *kymo_fiber_switch(struct kymo_thread *fiber)
{
	struct kymo_thread *left = kymo_thread();

	kymo_thread_current = fiber;
	return left;
}
