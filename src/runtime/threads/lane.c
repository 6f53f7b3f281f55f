/* Lanes: a greenlet has a stack of its own but no thread of its own, so it gets a state
 * of its own and the thread-local pointer moves with the stack that runs. */
#include "runtime/control/gate.h"
#include "runtime/life/session.h"
#include "runtime/store/store.h"
#include "runtime/threads/thread.h"
#include "runtime/user/userstack.h"

static struct kymo_thread *idle; /* ended lanes, open at their root; guarded by the lock */

void lanes_forget(void)
{
	idle = NULL;
}

struct kymo_thread *kymo_lane_get(const char *name)
{
	struct kymo_thread_ticket ticket = kymo_thread_ticket();
	struct kymo_thread *lane;

	if (!session_ensure() || !store_lock())
		return NULL;
	lane = idle;
	if (lane) {
		idle = lane->idle_next;
		lane->stack_low = UINTPTR_MAX; /* another thread may have had it */
	} else {
		lane = thread_new(&ticket, name, KYMO_THREAD_LANE);
	}
	store_unlock();
	return lane;
}

void kymo_lane_put(struct kymo_thread *lane)
{
	if (!lane || !lane->is_lane || !kymo_lane_is_valid(lane) || !store_lock())
		return;
	gate_settle(lane, gate_latest());
	user_finish(lane);
	thread_unwind(lane, kymo_now(lane));
	lane->idle_next = idle;
	idle = lane;
	store_unlock();
}

bool kymo_lane_is_valid(const struct kymo_thread *lane)
{
	return session.state == KYMO_RUNTIME_ACTIVE && lane->record;
}

struct kymo_thread *kymo_lane_switch(struct kymo_thread *lane)
{
	struct kymo_thread *left = kymo_thread();

	kymo_thread_current = lane;
	return left;
}
