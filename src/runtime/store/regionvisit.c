/* Visits without a length, for calls too short to be timed: counted in the tree, one clock
 * reading in the trace. */
#include "runtime/store/regionvisit.h"
#include "runtime/runtime.h"
#include "runtime/store/callpath.h"
#include "runtime/user/userstack.h"

/* Other metrics are measured as usual, which takes longer than the call. */
static __attribute__((noinline)) void visit_measured(struct kymo_thread *thread, uint32_t region)
{
	kymo_enter(thread, region, session.mode);
	kymo_leave(thread, region, KYMO_EVENT_LEAVE, session.mode);
}

static inline void visit_node(struct kymo_thread *thread, uint32_t region)
{
	struct kymo_node *node = callpath_known(thread, region);

	if (kymo_unlikely(!node))
		node = kymo_callpath_find(thread, region);
	if (kymo_likely(node != NULL)) {
		node->count++;
		node->min = 0; /* of which no time at all is known with KYMO_MODE_POSITIONS */
	} else {
		kymo_callpath_exit_slow(thread, region, kymo_now(thread)); /* it was folded */
	}
}

/* Both events with the same time; the first, which publishes the second, is written last. */
static inline void visit_event(struct kymo_thread *thread, uint32_t region)
{
	uint64_t now = kymo_now(thread), delta = now - thread->event_base;
	uint64_t *event = thread->event;

	if (kymo_unlikely(event + 1 >= thread->event_limit ||
			  (delta >> KYMO_EVENT_TICK_BITS) != 0 || region > KYMO_EVENT_REGION_MAX)) {
		kymo_event_slow(thread, KYMO_EVENT_ENTER, region, now, 0);
		kymo_event_put(thread, KYMO_EVENT_LEAVE, region, now);
		return;
	}
	event[1] = kymo_event_head(KYMO_EVENT_LEAVE, region, delta);
	__atomic_store_n(event, kymo_event_head(KYMO_EVENT_ENTER, region, delta), __ATOMIC_RELEASE);
	thread->event = event + 2;
}

static inline void regionvisit_visit(struct kymo_thread *thread, uint32_t region)
{
	unsigned mode = session.mode;

	if (kymo_unlikely(mode & KYMO_MODE_METRICS)) {
		visit_measured(thread, region);
		return;
	}
	if (mode & KYMO_MODE_PROFILE)
		visit_node(thread, region);
	if (mode & KYMO_MODE_TRACE)
		visit_event(thread, region);
}

void kymo_region_visit(struct kymo_thread *thread, uint32_t region)
{
	if (region == 0 || !kymo_admits(thread) || !user_acquire(thread))
		return;
	regionvisit_visit(thread, region);
	user_release(thread);
}
